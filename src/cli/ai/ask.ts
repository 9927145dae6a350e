import { type AskAnswer, type AskArguments, ask, askPrompt } from '../../app/ask/ask.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { vaultsNamedIn, withoutVaultName } from '../../mcp/calls/vault-arguments.ts'
import { askTool } from '../../mcp/tools/find.ts'
import { interruptible, UsageError } from '../host.ts'
import { printable } from '../output/text.ts'
import { type Invocation, requireVaults, withVaults } from '../session.ts'
import { awaitFindable, resolveNames, withoutShellPaths } from '../tools/prepare.ts'
import { requireOn } from '../tools/tool-switch.ts'

/** Asks a chat model about the notes, or shows the prompt that would be sent. */
export function run(invocation: Invocation): Promise<number> {
  return interruptible(invocation.host, (signal) => askModel({ ...invocation, signal }))
}

async function askModel(invocation: Invocation): Promise<number> {
  const { host, options, positionals, printer } = invocation
  const [question = ''] = positionals
  if (question.trim() === '') throw new UsageError('The question is missing.', 'Run: roux ask "Why does rye bread not rise?"')
  const [folder, tag, relevance] = ['folder', 'tag', 'relevance'].map((name) => options.get(name))
  // Validate the arguments before the vault is read, in the same way as the tool.
  askTool.prepare({ question, folder, tag, relevance })
  const onlyShown = options.get('show-prompt') === true
  const loaded = await requireVaults(invocation)
  if (!onlyShown) requireOn({ name: 'ask', byModel: true }, loaded)
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
    const { value, warnings } = await ask(core, args, {
      whole: true,
      signal: invocation.signal,
      report: (message) => printer.note(`${message} …`),
    })
    await printer.answer(value, { warnings, render: () => answerText(value) })
  })
  return 0
}

/** Enables AI for `--show-prompt`, which works even if `ai.enabled` is off. */
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
  const { value, warnings } = await askPrompt(core, args, { whole: true })
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
