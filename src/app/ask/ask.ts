import { randomBytes } from 'node:crypto'
import type { CitedAnswer } from '../../ai/cite.ts'
import { findRepeats, withoutThinking } from '../../ai/model-text.ts'
import { composePrompt, type Exchange, type Prompt } from '../../ai/prompt.ts'
import type { Chat, ChatEvent, ChatProvider, ChatUsage } from '../../core/chat.ts'
import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import { ALL } from '../../core/store.ts'
import { estimateTokens } from '../../core/text/estimate-tokens.ts'
import { headingPathAt } from '../../search/chunks.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { pathOf } from '../answer/node-response.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { readTexts } from '../read/texts.ts'
import { requireChat } from './chat.ts'
import { type FoundPassage, type RetrieveArguments, retrieve } from './retrieve.ts'

export interface AskArguments extends Omit<RetrieveArguments, 'query' | 'room'> {
  readonly question: string
  readonly history: readonly Exchange[]
}

/** The members are written out, because the types of `ai/cite.ts` would need the types of a parser in the package. */
export interface AskCitation {
  readonly n: number
  readonly id: NodeId
  /** The path as spelled on disk. It is omitted if it is the same as the id. */
  readonly path?: string
  readonly title: string
  readonly heading: readonly string[]
  readonly start_line: number
  readonly end_line: number
  /** The verbatim text from `start_line` to `end_line`. */
  readonly quote: string
  readonly support: 'ok' | 'weak'
}

export interface AskAnswer {
  readonly status: 'answered' | 'partial' | 'not_found'
  /** The answer as Markdown, in which all links lead to cited notes. */
  readonly answer: string
  readonly citations: readonly AskCitation[]
  readonly uncited: readonly string[]
  readonly removed: { readonly citations: number; readonly links: number }
  readonly passages_used: number
  readonly model: string
  readonly location: ChatProvider['location']
  readonly usage: ChatUsage
}

/** The timeout in milliseconds. Clients that receive no progress reports time out after a minute. */
const ANSWER_TIMEOUT = 50_000
const INTERVAL = 1_000
/** Number of characters between two checks for endless repetition. */
const CHECK_INTERVAL = 200
/** A server that reports a smaller share of the prompt tokens has truncated the prompt. */
const MIN_READ_SHARE = 0.5
/** A context window is a multiple of 1,024 tokens. A token count of exactly such a multiple suggests a truncated prompt. */
const WINDOW = 1_024
const MIN_FILLED_SHARE = 0.9

const NOTHING: ChatUsage = { input: 0, output: 0, estimated: false }

/**
 * Answers a question from the notes, with verified citations. The model is not called if no passage matches.
 * @throws RouxError `AI_DISABLED`; `REMOTE_NOT_ALLOWED`, `BUDGET_EXCEEDED`, `PROVIDER_ERROR` or `TIMEOUT` when calling the model;
 * `NODE_NOT_FOUND`
 */
export async function ask(core: GraphCore, args: AskArguments, call: Call = {}): Promise<Answer<AskAnswer>> {
  const chat = requireChat(core)
  const provider = await chat.open()
  call.report?.('Looking for passages')
  const { prompt, warnings } = await promptFor({ core, chat, call }, args)
  const { model, location } = provider
  if (prompt.passages.length === 0) return { value: { ...UNANSWERED, model, location, usage: NOTHING }, warnings }
  const reply = await replyOf(provider, { prompt, chat, call })
  // The module is imported lazily, because it loads the Markdown parser, which is needed only here.
  const { citeAnswer } = await import('../../ai/cite.ts')
  const cited = await citeAnswer(reply.text, prompt.passages.map(toCited))
  const checked = cited.isNotFound ? undefined : await checkFiles(core, { cited, passages: prompt.passages }, call)
  const details = { passages_used: prompt.passages.length, model, location, usage: reply.usage }
  const removed = { citations: cited.removed.citations + (checked?.dropped ?? 0), links: cited.removed.links }
  const value: AskAnswer =
    checked === undefined
      ? { ...UNANSWERED, removed, ...details }
      : { status: reply.isWhole && !cited.isCut ? 'answered' : 'partial', ...checked.shown, removed, ...details }
  const cutWarnings = cited.isCut ? [notice('The answer was too long and was cut.')] : []
  return { value, warnings: [...warnings, ...reply.warnings, ...cutWarnings] }
}

/** Composes the prompt without sending it. @throws the same errors as `ask` before sending */
export async function askPrompt(core: GraphCore, args: AskArguments, call: Call = {}): Promise<Answer<Prompt>> {
  const { prompt, warnings } = await promptFor({ core, chat: requireChat(core), call }, args)
  return { value: prompt, warnings }
}

const UNANSWERED = {
  status: 'not_found',
  answer: '',
  citations: [],
  uncited: [],
  removed: { citations: 0, links: 0 },
  passages_used: 0,
} as const

interface Asking {
  readonly core: GraphCore
  readonly chat: Chat
  readonly call: Call
}

interface FoundPrompt extends Omit<Prompt, 'passages'> {
  readonly passages: readonly FoundPassage[]
}

async function promptFor(
  { core, chat, call }: Asking,
  { question, history, ...where }: AskArguments,
): Promise<{ readonly prompt: FoundPrompt; readonly warnings: readonly Warning[] }> {
  const before = history.at(-1)?.question
  const query = (before === undefined ? question : `${question}\n${before}`).slice(0, 8_000)
  const { context, maxTokens } = chat
  const retrieved = await retrieve(core, { ...where, query, room: Math.floor((context - maxTokens) * 0.8) }, call)
  // The settings may have changed during the search, so permissions are checked last.
  const mayLeave = chat.mayLeave(retrieved.value.map(({ path }) => path))
  const passages = retrieved.value.filter((_, at) => mayLeave[at] === true)
  const unused = (await chat.unusedPatterns?.(() => pathsOf(core, call))) ?? []
  const omittedCount = retrieved.value.length - passages.length
  const prompt = composePrompt({ question, history, passages, context, maxTokens, nonce: () => randomBytes(8).toString('hex') })
  const warnings = [
    ...(omittedCount === 0
      ? []
      : [notice(`${omittedCount} matching passages were withheld from the model because of ai.allow or ai.deny.`)]),
    ...unused.map((pattern) => notice(`${pattern} matches no note. Check its spelling; patterns are relative to the vault.`)),
  ]
  const usedPassages = prompt.passages.flatMap((passage) => {
    const source = passages.find((candidate) => candidate.id === passage.id && candidate.startLine === passage.startLine)
    return source === undefined ? [] : [{ ...source, ...passage, id: source.id }]
  })
  return { prompt: { ...prompt, passages: usedPassages }, warnings: [...retrieved.warnings, ...warnings] }
}

async function pathsOf(core: GraphCore, call: Call): Promise<readonly string[]> {
  const { value } = await answer(core, { signal: call.signal }, async (snapshot) => {
    const { items } = await snapshot.select({ kinds: ['note', 'canvas'], withExcluded: true }, ALL)
    const versions = await snapshot.versions(items.map(({ id }) => id))
    return plain(versions.flatMap((version) => version?.path ?? []))
  })
  return value
}

interface Reply {
  readonly text: string
  readonly isWhole: boolean
  readonly usage: ChatUsage
  readonly warnings: readonly Warning[]
}

async function replyOf(
  provider: ChatProvider,
  { prompt, chat, call }: { readonly prompt: Prompt; readonly chat: Chat; readonly call: Call },
): Promise<Reply> {
  const { system, messages } = prompt
  const late = new AbortController()
  const patience = call.report === undefined && call.isUntruncated !== true ? ANSWER_TIMEOUT : undefined
  const timer = patience === undefined ? undefined : setTimeout(() => late.abort(new Error('time')), patience)
  const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal])
  const reply = { text: '', thinking: '' }
  let end: Extract<ChatEvent, { kind: 'end' }> | undefined
  let lookedAt = 0
  call.report?.(`Asking ${provider.model}`)
  try {
    let toldAt = performance.now()
    const request = { system, messages, maxTokens: chat.maxTokens, temperature: 0, feature: 'ask', signal }
    for await (const event of provider.chat(request)) {
      if (event.kind === 'end') end = event
      else reply[event.kind] += event.text
      if (reply.text.length > lookedAt + CHECK_INTERVAL) {
        lookedAt = reply.text.length
        if (findRepeats(reply.text) !== undefined) break
      }
      if (performance.now() - toldAt < INTERVAL) continue
      toldAt = performance.now()
      const isThinking = reply.text === '' || withoutThinking(reply.text).isThinking
      call.report?.(`${isThinking ? 'Thinking' : 'Answering'}: ${estimateTokens(reply.thinking + reply.text)} tokens`)
    }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (!late.signal.aborted) throw error
    if (withoutThinking(reply.text).answer.trim() === '') throw tooLate(provider)
  } finally {
    clearTimeout(timer)
  }
  const { answer: spoken, isThinking } = withoutThinking(reply.text)
  if (spoken.trim() === '' && isThinking) throw noAnswerError(provider)
  const promptTokens = estimateTokens(system) + messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)
  const usage = end?.usage ?? { input: promptTokens, output: estimateTokens(reply.text + reply.thinking), estimated: true }
  const text = spoken.slice(0, findRepeats(spoken))
  const isRepeating = text.length < spoken.length
  return { text, isWhole: end?.finish === 'stop' && !isRepeating, usage, warnings: warningsOf(end, { usage, isRepeating }) }
}

function warningsOf(
  end: Extract<ChatEvent, { kind: 'end' }> | undefined,
  { usage, isRepeating }: { readonly usage: ChatUsage; readonly isRepeating: boolean },
): readonly Warning[] {
  const cut = isRepeating
    ? 'The model repeated itself, so the answer ends before the repetition. Larger models do this less often.'
    : whyCut(end)
  const warnings: Warning[] = cut === undefined ? [] : [notice(cut)]
  if (usage.estimated) {
    warnings.push({
      code: 'ESTIMATED',
      message: 'The server did not report token usage, so the token counts are estimated from text lengths.',
    })
  } else if (
    end !== undefined &&
    (usage.input < end.expected * MIN_READ_SHARE || (usage.input % WINDOW === 0 && usage.input < end.expected * MIN_FILLED_SHARE))
  ) {
    const message = `The server read ${usage.input} tokens, fewer than were sent, so it truncated the question. Raise its context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH), or lower ai.context to match.`
    warnings.push({ code: 'CONTEXT_CUT', message })
  }
  return warnings
}

function whyCut(end: Extract<ChatEvent, { kind: 'end' }> | undefined): string | undefined {
  if (end === undefined)
    return 'The model took too long and was stopped before its answer was complete. A call with a progress token may take longer.'
  if (end.finish === 'stop') return undefined
  if (end.finish === 'length') return 'The answer was cut at ai.max_tokens.'
  if (end.finish === 'late') return 'The answer was cut because it took longer than ai.timeout. Raise it, or use a faster model.'
  const reason = end.reason === undefined ? '' : `: ${end.reason.replace(/\.$/, '')}`
  return `The server disconnected before the answer was complete${reason}.`
}

function toCited({ text, startLine, hidden, title, headings }: FoundPassage) {
  return { text, startLine, hidden, names: [title, ...headings.map((heading) => heading.text)] }
}

interface Cited {
  readonly cited: CitedAnswer
  readonly passages: readonly FoundPassage[]
}

async function checkFiles(core: GraphCore, { cited, passages }: Cited, call: Call) {
  const ids = [...new Set(cited.citations.flatMap(({ passage }) => passages[passage]?.id ?? []))]
  const { value: texts } = await answer(core, { signal: call.signal }, async (snapshot) =>
    plain((await readTexts({ core, snapshot, call }, ids)).texts),
  )
  const keptCitations: AskCitation[] = []
  const numbers = new Map<number, number>()
  for (const { n, passage, startLine, endLine, quote, support } of cited.citations) {
    const source = passages[passage]
    const now = source === undefined ? undefined : texts.get(source.id)
    if (source === undefined || now === undefined) continue
    const start = now.hash === source.hash ? startLine : lineOf(now.text, quote)
    if (start === undefined) continue
    numbers.set(n, keptCitations.length + 1)
    const { id, path, title, headings } = source
    keptCitations.push({
      n: keptCitations.length + 1,
      id,
      ...pathOf({ id, path }),
      title,
      heading: headingPathAt(headings, startLine),
      start_line: start,
      end_line: start + endLine - startLine,
      quote,
      support,
    })
  }
  const visible = {
    answer: cited.write((n) => {
      const number = numbers.get(n)
      return number === undefined ? undefined : `[${number}](${addressOf(keptCitations[number - 1]?.id ?? '')})`
    }),
    citations: keptCitations,
    uncited: cited.sentences.flatMap(({ text, citations }) => (citations.some((n) => numbers.has(n)) ? [] : [text])),
  }
  return { shown: visible, dropped: cited.citations.length - keptCitations.length }
}

function lineOf(text: string, quote: string): number | undefined {
  const at = text.indexOf(quote)
  return at < 0 ? undefined : text.slice(0, at).split('\n').length
}

/** Returns the note's URI. Parentheses are encoded, because the URI is used in a Markdown link. */
function addressOf(id: string): string {
  const encoded = id.split('/').map((part) => encodeURIComponent(part).replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29')))
  return `roux://node/${encoded.join('/')}`
}

function notice(message: string): Warning {
  return { code: 'NOTICE', message }
}

function tooLate({ model }: ChatProvider): RouxError {
  return new RouxError('TIMEOUT', `The model ${model} did not answer within ${ANSWER_TIMEOUT / 1_000} s.`, {
    hint: 'Request progress notifications, which allow the call to take as long as ai.timeout, or use a faster model.',
  })
}

function noAnswerError({ model }: ChatProvider): RouxError {
  return new RouxError('PROVIDER_ERROR', `The model ${model} was still thinking when its answer ended.`, {
    hint: 'Increase `ai.max_tokens`, because reasoning models need more, or use a model without reasoning.',
  })
}
