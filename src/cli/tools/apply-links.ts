import { createInterface } from 'node:readline'
import { type LinkEdit, type LinkSuggestion, linkKey, type SuggestionList } from '../../app/insight/suggest-links.ts'
import type { Vaults } from '../../app/vaults.ts'
import type { WriteFacts } from '../../app/write/facts.ts'
import { RouxError } from '../../core/errors.ts'
import { amount } from '../../core/text/format.ts'
import { MAX_ITEMS } from '../../mcp/calls/invalid-arguments.ts'
import { prepareCall } from '../../mcp/calls/prepare-call.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { type Host, UsageError } from '../host.ts'
import type { Printer } from '../output/printer.ts'
import { renderOffer } from '../output/render-insight.ts'
import { renderWritten } from '../output/render-written.ts'
import type { Paint } from '../output/text.ts'
import { type Invocation, requireVaults, withVaults } from '../session.ts'
import { resolveNames, withoutShellPaths } from './prepare.ts'
import { requireTool, withoutPlan, withoutVault } from './tool-command.ts'
import { requireOn, switchedOffIn } from './tool-switch.ts'

type Arguments = Readonly<Record<string, unknown>>

type Offer = LinkSuggestion & { readonly kind: 'named'; readonly edit: LinkEdit }

interface Review {
  readonly printer: Printer
  readonly asker: AnswerPrompt
  readonly vaults: Vaults
  readonly args: Arguments
  suggest(args: Arguments): Promise<SuggestionList>
  change(offers: readonly Offer[], isDry: boolean): Promise<WriteFacts>
}

/**
 * Offers links one by one, and validates each accepted link immediately. All of them are added in a single change at the end,
 * even after Ctrl+C.
 * @throws UsageError without a terminal
 */
export async function applyLinks(invocation: Invocation, tool: Tool, args: Arguments): Promise<number> {
  const { host, printer } = invocation
  if (host.stdin.isTTY !== true) {
    throw new UsageError(
      'This command needs a terminal.',
      'Run it in a terminal. A program can pass each "edit" of "roux suggest-links --json" to "roux apply-changes --write --operations".',
    )
  }
  if (args.kind === 'related')
    throw new UsageError(
      'Related suggestions do not specify where to insert a link.',
      'Without --kind, the command offers named links.',
    )
  const suggestArgs = { ...args, kind: 'named' }
  tool.prepare(withoutVault(suggestArgs))
  const apply = await requireTool(host, 'apply_changes')
  // Options include `--write`, because accepting a link permits writing it.
  const writable = { ...invocation, options: new Map([...invocation.options, ['write', true]]) }
  const loaded = await requireVaults(writable)
  for (const usedTool of [tool, apply]) requireOn(usedTool, loaded)
  const switchedOffBy = switchedOffIn(loaded)
  const vaultArgs = withoutShellPaths(tool, suggestArgs, { cwd: host.cwd, vaults: loaded.vaults })
  await withVaults({ ...writable, runsOnce: true }, loaded.vaults, async (vaults) => {
    const shownWarnings = new Set<string>()
    const call = async (calledTool: Tool, callArgs: Arguments) => {
      const { value, warnings } = await prepareCall(calledTool, callArgs, { vaults, switchedOffBy })({ isUntruncated: true })
      for (const { message } of warnings) if (!shownWarnings.has(message)) printer.warn(message)
      for (const { message } of warnings) shownWarnings.add(message)
      return value
    }
    const resolved = await resolveNames(vaults, tool, vaultArgs)
    const asker = openPrompt(host)
    try {
      await review({
        printer,
        asker,
        vaults,
        args: resolved,
        suggest: async (requestArgs) => (await call(tool, requestArgs)) as SuggestionList,
        change: async (offers, isDry) =>
          (await call(apply, { operations: offers.map(({ edit }) => edit), dry_run: isDry })) as WriteFacts,
      })
    } finally {
      asker.close()
    }
  })
  return 0
}

async function review(parts: Review): Promise<void> {
  const { printer } = parts
  const { chosen, offered, postponed } = await choose(parts)
  if (offered === 0) printer.note('Nothing found.')
  if (postponed > 0)
    printer.note(`Skipped, because another link changes their line: ${postponed}. Run the command again to see them.`)
  const facts = await make(parts, chosen)
  const value = facts === undefined ? { links: 0 } : { links: facts.links, ...facts.written }
  await printer.answer(value, {
    render: (_, look) =>
      facts === undefined
        ? 'No link was added.\n'
        : `Made ${amount(facts.links, 'link')}. ${renderWritten(facts.written, { ...look, commandOptions: ' --write', isDryRun: false })}`,
  })
}

interface Choice {
  readonly chosen: readonly Offer[]
  readonly offered: number
  readonly postponed: number
}

const QUESTION = 'Add this link? y(es), n(ot now), never, q(uit): '

async function choose(parts: Review): Promise<Choice> {
  const { printer, vaults } = parts
  const accepted: Offer[] = []
  const dismissed = new Set<Offer>()
  let offerCount = 0
  let postponed = 0
  const limit = (parts.args.limit as number | undefined) ?? Number.POSITIVE_INFINITY
  for await (const { offer, total } of offersOf(parts, () => dismissed.size)) {
    if (offerCount >= limit || accepted.length === MAX_ITEMS) break
    // Two edits of the same line would conflict.
    if (accepted.some(({ from, line }) => from === offer.from && line === offer.line)) {
      postponed++
      continue
    }
    offerCount++
    const paint: Paint = (style, text) => printer.paint(style, text)
    printer.note(renderOffer(offer, { paint, number: offerCount, total: Math.min(limit, total) }))
    const decision = await verdictOn(parts)
    if (decision === 'quit') break
    if (decision === 'never') {
      const core = await vaults.open(vaultOf(offer.from, vaults.names))
      await core.insightState.dismiss(linkKey(offer.from, offer.to, core))
      dismissed.add(offer)
    }
    if (decision === 'yes' && (await isPossible(parts, [...accepted.filter(({ from }) => from === offer.from), offer])))
      accepted.push(offer)
  }
  return { chosen: accepted, offered: offerCount, postponed }
}

const PAGE = 20

interface OfferedLink {
  readonly offer: Offer
  readonly total: number
}

async function* offersOf({ suggest, args }: Review, removedCount: () => number): AsyncGenerator<OfferedLink> {
  const { offset: start = 0, limit: _, ...asked } = args as { readonly offset?: number; readonly limit?: number }
  const seenPairs = new Set<string>()
  for (;;) {
    const dismissed = removedCount()
    const answer = await suggest({ ...asked, limit: PAGE, offset: start + seenPairs.size - dismissed })
    const { suggestions } = answer
    const total = answer.total + dismissed - start
    const newSuggestions = suggestions.filter(({ from, to }) => !seenPairs.has(`${from}//${to}`))
    for (const link of newSuggestions) {
      seenPairs.add(`${link.from}//${link.to}`)
      if (link.kind === 'named' && link.edit !== undefined) yield { offer: { ...link, edit: link.edit }, total }
    }
    if (newSuggestions.length === 0) return
  }
}

type Verdict = 'yes' | 'no' | 'never' | 'quit'

const ANSWERS: ReadonlyMap<string, Verdict> = new Map([
  ['y', 'yes'],
  ['yes', 'yes'],
  ['', 'no'],
  ['n', 'no'],
  ['no', 'no'],
  ['not now', 'no'],
  ['never', 'never'],
  ['q', 'quit'],
  ['quit', 'quit'],
])

/** Asks for a verdict. The end of input means to quit. */
async function verdictOn({ asker, printer }: Review): Promise<Verdict> {
  for (;;) {
    const reply = await asker.ask(QUESTION)
    const decision = reply === undefined ? 'quit' : ANSWERS.get(reply.toLowerCase())
    if (decision !== undefined) return decision
    printer.note('Answer y, n, never or q.')
  }
}

async function isPossible({ change, printer }: Review, offers: readonly Offer[]): Promise<boolean> {
  try {
    await change(offers, true)
    return true
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    printer.warn(`${error.code}: ${error.message} The link was not added.`)
    return false
  }
}

interface AppliedLinks {
  readonly links: number
  readonly written: WriteFacts
}

async function make(parts: Review, chosen: readonly Offer[]): Promise<AppliedLinks | undefined> {
  if (chosen.length === 0) return undefined
  try {
    return { links: chosen.length, written: withoutPlan(await parts.change(chosen, false)) as WriteFacts }
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    const possible: Offer[] = []
    for (const note of new Set(chosen.map(({ from }) => from))) {
      const offers = chosen.filter(({ from }) => from === note)
      if (await isPossible(parts, offers)) possible.push(...offers)
    }
    // If all links are still possible, the error does not belong to a single note.
    if (possible.length === chosen.length) throw error
    return await make(parts, possible)
  }
}

export interface AnswerPrompt {
  /** Asks a question. The answer is `undefined` at the end of input or after Ctrl+C. */
  ask(question: string): Promise<string | undefined>
  close(): void
}

function openPrompt({ stdin, stderr, onSignal }: Pick<Host, 'stdin' | 'stderr' | 'onSignal'>): AnswerPrompt {
  const lines = createInterface({ input: stdin, output: stderr })
  const answers = lines[Symbol.asyncIterator]()
  let isOpen = true
  let isStopped = false
  lines.once('close', () => {
    isOpen = false
  })
  const stop = (): void => {
    isStopped = true
    lines.close()
  }
  // A terminal in raw mode reports Ctrl+C as a key. Otherwise, Ctrl+C arrives as a signal.
  lines.on('SIGINT', stop)
  onSignal(stop)
  return {
    async ask(question) {
      if (isStopped) return undefined
      lines.setPrompt(question)
      // Answers typed ahead remain available after the end of input.
      if (isOpen) lines.prompt()
      else stderr.write(question)
      const { value, done } = await answers.next()
      if (!isStopped && done !== true) return value.trim()
      stderr.write('\n')
      return undefined
    },
    close: () => lines.close(),
  }
}
