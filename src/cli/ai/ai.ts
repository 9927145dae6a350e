import { type AskAnswer, type AskArguments, askPrompt, ask as askVault } from '../../app/ask/ask.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import type { AiDesk, NamedModel } from '../../compose/index.ts'
import { type LoadedVault, loadVaults } from '../../config/load-vaults.ts'
import type { UsageRow } from '../../core/chat.ts'
import { amount } from '../../core/text/format.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import { isLoopbackAddress } from '../../http/host-and-origin.ts'
import { vaultsNamedIn, withoutVaultName } from '../../mcp/calls/vault-arguments.ts'
import { askTool } from '../../mcp/tools/find.ts'
import { interruptible, UsageError } from '../host.ts'
import { localTime, printable } from '../output/text.ts'
import { type Invocation, requireVaults, settingsInput, withDesk, withVaults } from '../session.ts'
import { awaitFindable, resolveNames, withoutShellPaths } from '../tools/prepare.ts'
import { requireOn } from '../tools/tool-switch.ts'

interface Run {
  readonly invocation: Invocation
  readonly desk: AiDesk
  readonly loaded: LoadedVault
  readonly address: string | undefined
}

const ACTIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = { status, allow, revoke, test }

export function ai(invocation: Invocation): Promise<number> {
  return interruptible(invocation.host, (signal) => act({ ...invocation, signal }))
}

async function act(invocation: Invocation): Promise<number> {
  const [word = 'status', address] = invocation.positionals
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined
  if (action === undefined) {
    const names = Object.keys(ACTIONS)
    throw new UsageError(
      `"roux ai ${word}" is not a command.`,
      didYouMean(nearest(word, names)) ?? `Use one of ${names.join(', ')}.`,
    )
  }
  const needsAddress = action === allow || action === revoke
  if (needsAddress !== (address !== undefined)) {
    const hint = needsAddress ? `Run: roux ai ${word} https://api.openai.com` : undefined
    throw new UsageError(needsAddress ? 'The address is missing.' : `Unexpected argument "${address}".`, hint)
  }
  const { vaults } = await loadVaults(settingsInput(invocation))
  const [loaded] = vaults
  await withDesk(invocation.host, loaded, (desk) => action({ invocation, desk, loaded, address }))
  return 0
}

async function status({ invocation: { printer }, desk, loaded }: Run): Promise<void> {
  const { enabled, allow_remote } = loaded.settings.ai
  const models = await desk.models()
  const consents = desk.consents()
  const budget = await desk.budget()
  const allowedServers = consents.map(({ origin, time }) => ({ origin, since: new Date(time).toISOString() }))
  const lines = [
    `Asking a chat model is ${enabled ? 'on' : 'off (ai.enabled)'}.`,
    ...(models.length === 0 ? ['No model server is configured: nothing leaves this process.'] : models.map(describe)),
    ...allowedServers.map(({ origin, since }) => `Allowed: ${origin}, since ${since.slice(0, 10)}`),
    ...(budget === undefined
      ? []
      : [`Tokens today: ${budget.used.toLocaleString('en')} of ${budget.limit.toLocaleString('en')}`]),
  ]
  const facts = { enabled, allow_remote, models, allowed: allowedServers, ...(budget === undefined ? {} : { budget }) }
  await printer.answer(facts, { render: () => `${lines.join('\n')}\n` })
}

function describe({ use, model, baseUrl, location, origin, isAllowed, hasConsent }: NamedModel): string {
  const where = location === 'local' ? 'on this computer' : 'on another computer'
  const missing = [
    ...(isAllowed ? [] : ['ai.allow_remote does not name it']),
    ...(hasConsent ? [] : [`"roux ai allow ${origin}" has not been run`]),
  ]
  const sentence = missing.length === 0 ? 'it may be used' : `not used: ${missing.join(', ')}`
  return `${use === 'chat' ? 'Chat' : 'Embedding'}: ${model} at ${baseUrl}, ${where}; ${sentence}`
}

async function allow({ invocation: { printer }, desk, loaded, address = '' }: Run): Promise<void> {
  const origin = desk.allow(address)
  const { host, hostname } = new URL(origin)
  const { allow_remote: hosts } = loaded.settings.ai
  const isHere = isLoopbackAddress(hostname)
  const isSet = isHere || (typeof hosts === 'boolean' ? hosts : hosts.includes(host) || hosts.includes(hostname))
  const more = isHere
    ? 'A server on this computer needs no consent, except for models it runs elsewhere (names that end in -cloud).\n'
    : isSet
      ? ''
      : `Also set ai.allow_remote: ["${host}"] in your settings.\n`
  const message = `Allowed ${origin}: text from your notes may be sent to models there. To undo this: "roux ai revoke ${origin}".\n${more}`
  await printer.answer({ origin, allowed: true, set: isSet }, { render: () => message })
}

async function revoke({ invocation: { printer }, desk, address = '' }: Run): Promise<void> {
  const { origin, was } = desk.revoke(address)
  const message = was ? `Nothing is sent to ${origin} any more.\n` : `${origin} was not allowed.\n`
  await printer.answer({ origin, allowed: false, was }, { render: () => message })
}

async function test({ invocation: { printer, signal }, desk }: Run): Promise<void> {
  const { answer, milliseconds, usage } = await desk.test(signal)
  if (printer.json) return await printer.answer({ answer, milliseconds, usage })
  const tokens = `${usage.input} + ${usage.output} tokens${usage.estimated ? ', estimated' : ''}`
  await printer.answer({ answer, milliseconds, tokens })
}

export async function usage(invocation: Invocation): Promise<number> {
  const { host, printer, options } = invocation
  const days = (options.get('days') as number | undefined) ?? 7
  if (days < 1 || days > 3_650) throw new UsageError(`--days must be from 1 to 3650; got ${days}.`)
  const {
    vaults: [loaded],
  } = await loadVaults(settingsInput(invocation))
  const prices = pricesIn(loaded.settings.ai.prices)
  const { usage, budget } = await withDesk(host, loaded, async (desk) => ({
    usage: desk.usage(days),
    budget: await desk.budget(),
  }))
  const rows = usage.map((row) => ({ ...row, ...costOf(row, prices.get(row.model)) }))
  if (printer.json) {
    await printer.answer({ rows, ...(budget === undefined ? {} : { budget }) })
    return 0
  }
  if (rows.length === 0) await printer.text('No model has been used.\n')
  else {
    await printer.answer(rowsForPeople(rows))
    for (const place of placesOf(rows)) printer.note(place)
  }
  if (budget !== undefined)
    printer.note(
      `Today: ${budget.used.toLocaleString('en')} of ${amount(budget.limit, 'token')}; the budget resets at ${localTime(budget.reset)}.`,
    )
  return 0
}

type Row = UsageRow & { readonly cost?: number }

/** Drops columns that are empty or constant, so the table fits in 80 columns. */
function rowsForPeople(rows: readonly Row[]): readonly object[] {
  const isOfOne = placesOf(rows).length === 1
  const filled = (value: number): number | undefined => (value === 0 ? undefined : value)
  return rows.map(({ day, provider, model, feature, requests, input, output, cost, ...rest }) => ({
    day,
    ...(isOfOne ? {} : { provider }),
    model,
    feature,
    requests,
    input,
    output,
    cost,
    failed: filled(rest.failed),
    estimated: filled(rest.estimated),
    reserved: filled(rest.reserved),
  }))
}

function placesOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map(({ provider, location }) => `${provider}: ${location}.`))]
}

interface Price {
  readonly input: number
  readonly output: number
}

function pricesIn(prices: readonly string[]): ReadonlyMap<string, Price> {
  return new Map(
    prices.map((price) => {
      const [, model = '', input, output] = /^(.+)=(\d+(?:\.\d+)?|\.\d+)\/(\d+(?:\.\d+)?|\.\d+)$/.exec(price) ?? []
      if (model === '')
        throw new UsageError(`ai.prices: "${price}" is not a price.`, 'Write model=input/output, e.g. my-model=0.15/0.60.')
      return [model, { input: Number(input), output: Number(output) }]
    }),
  )
}

const MILLION = 1_000_000

function costOf({ input, output }: { readonly input: number; readonly output: number }, price: Price | undefined) {
  if (price === undefined) return {}
  return { cost: Number(((input * price.input + output * price.output) / MILLION).toFixed(4)) }
}

export function ask(invocation: Invocation): Promise<number> {
  return interruptible(invocation.host, (signal) => askModel({ ...invocation, signal }))
}

async function askModel(invocation: Invocation): Promise<number> {
  const { host, options, positionals, printer } = invocation
  const [question = ''] = positionals
  if (question.trim() === '') throw new UsageError('The question is missing.', 'Run: roux ask "Why does rye bread not rise?"')
  const [folder, tag, relevance] = ['folder', 'tag', 'relevance'].map((name) => options.get(name))
  // The arguments are validated before a vault is opened.
  askTool.prepare({ question, folder, tag, relevance })
  const onlyShown = options.get('show-prompt') === true
  const loaded = await requireVaults(invocation)
  if (!onlyShown) requireOn({ name: 'ask', needsChatModel: true }, loaded)
  const vaults = onlyShown ? loaded.vaults.map(withAi) : loaded.vaults
  const given = { note_id: options.get('note_id'), folder }
  const vaultArgs = withoutShellPaths(askTool, given, { cwd: host.cwd, vaults })
  await withVaults(invocation, vaults, async (openVaults) => {
    const resolvedArgs = await resolveNames(openVaults, askTool, vaultArgs)
    const { names = {} } = askTool
    const searchedVaults = vaultsNamedIn(names, resolvedArgs, openVaults.names)
    if (searchedVaults.length === 0 && openVaults.names.length > 1)
      throw new UsageError(
        `There are several vaults: ${openVaults.names.join(', ')}.`,
        'Choose one with --vault, or ask each separately.',
      )
    const [vault = openVaults.names[0]] = searchedVaults
    const core = await openVaults.open(vault)
    await awaitFindable(core, 'meaning', (vaults.find(({ name }) => name === vault) ?? loaded.vaults[0]).settings)
    const args = argumentsOf(options, question, vault === undefined ? resolvedArgs : withoutVaultName(names, resolvedArgs, vault))
    if (onlyShown) return await showPrompt(invocation, core, args)
    const { value, warnings } = await askVault(core, args, {
      isUntruncated: true,
      signal: invocation.signal,
      report: (message) => printer.note(`${message} …`),
    })
    await printer.answer(value, { warnings, render: () => answerText(value) })
  })
  return 0
}

/** Returns the settings with AI enabled, for `--show-prompt`, which sends nothing. */
function withAi(loaded: LoadedVault): LoadedVault {
  return { ...loaded, settings: { ...loaded.settings, ai: { ...loaded.settings.ai, enabled: true } } }
}

function argumentsOf(
  options: Invocation['options'],
  question: string,
  resolved: Readonly<Record<string, unknown>>,
): AskArguments {
  return {
    question,
    noteId: resolved.note_id as string | undefined,
    folder: resolved.folder as string | undefined,
    tag: options.get('tag') as string | undefined,
    relevance: (options.get('relevance') as AskArguments['relevance'] | undefined) ?? 'normal',
    history: [],
  }
}

async function showPrompt({ printer }: Invocation, core: GraphCore, args: AskArguments): Promise<void> {
  const { value, warnings } = await askPrompt(core, args, { isUntruncated: true })
  for (const { message } of warnings) printer.warn(message)
  const { system, messages, passages } = value
  if (printer.json) return await printer.answer({ system, messages, passages_used: passages.length })
  if (passages.length === 0) return await printer.text('Nothing was found for this question, so no model would be asked.\n')
  const parts = [`--- system\n${system}`, ...messages.map(({ role, content }) => `--- ${role}\n${content}`)]
  await printer.text(`${parts.join('\n\n')}\n`)
}

export function answerText({ status, answer, citations, uncited, model, location, usage }: AskAnswer): string {
  if (status === 'not_found') return 'The notes do not answer that.\n'
  const sources = citations.map(({ n, id, heading, start_line, end_line, quote, support }) => {
    const lines = start_line === end_line ? `line ${start_line}` : `lines ${start_line}–${end_line}`
    const place = [id, ...heading].join(' › ')
    return `[${n}] ${printable(place)}, ${lines}${support === 'weak' ? ' (weak: please check)' : ''}\n    ${printable(quote).replace(/\s+/g, ' ')}`
  })
  const without = uncited.length === 0 ? [] : [`${uncited.length} of its sentences have no source.`]
  const tokens = `${model}, ${location === 'local' ? 'on this computer' : 'on another computer'}: ${usage.input} + ${usage.output} tokens`
  return `${[answer.replace(/\[(\d+)\]\(roux:[^)\s]*\)/g, '[$1]'), sources.join('\n'), [...without, tokens].join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}
