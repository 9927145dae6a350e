import { loadVaults } from '../../config/load-vaults.ts'
import { foldId, withoutVault } from '../../core/ids.ts'
import { nameOf } from '../../core/paths.ts'
import { ALL, type NodeKind, type Snapshot } from '../../core/store.ts'
import { amount } from '../../core/text/format.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import { GLOBAL_OPTIONS, parseArguments } from '../arguments.ts'
import { UsageError } from '../host.ts'
import { type Invocation, settingsInput } from '../session.ts'
import { type Candidate, type Expected, expectedAfter, expectedInside } from './candidates.ts'
import { readLine, SCRIPTS, SHELLS, type Shell } from './shells.ts'

/**
 * Prints a shell's completion script or, if words follow, completions for the last word. Bash passes the raw line; the other
 * shells pass unquoted words.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { printer, positionals } = invocation
  const [name = '', ...typedWords] = positionals
  const shell = SHELLS.find((each) => each === name)
  if (shell === undefined)
    throw new UsageError(
      name === '' ? '<bash|zsh|fish> is missing.' : `There is no completion for "${name}".`,
      didYouMean(nearest(name, SHELLS)) ?? 'Run: roux completion bash, zsh or fish',
    )
  await printer.text(typedWords.length === 0 ? SCRIPTS[shell] : await reply(invocation, shell, typedWords))
  return 0
}

const NODES: readonly NodeKind[] = ['note', 'canvas', 'attachment']

async function reply(invocation: Invocation, shell: Shell, args: readonly string[]): Promise<string> {
  const last = readLine(shell === 'bash' ? (args[0] ?? '') : (args.at(-1) ?? ''))
  // zsh and fish pass a single word, which `readLine` splits at unquoted spaces.
  const line = shell === 'bash' ? last.typed : [...last.words, last.typed].join(' ')
  const words = (shell === 'bash' ? last.words : args.slice(0, -1)).slice(1)
  const inside = await expectedInside(invocation.host, words, line)
  const expected = inside?.wanted ?? (await expectedAfter(invocation.host, words, line))
  const prefix = inside?.prefix ?? ''
  const start = line.slice(prefix.length)
  const matching = matchingStart(await candidatesFor(invocation, expected, { words, start }), start)
  const prefixLength = shell === 'bash' ? last.keptPrefix.length : 0
  const lines = matching.map(({ value, sentence }) => {
    const candidate = `${prefix}${value}`.slice(prefixLength)
    return shell === 'bash' || sentence === undefined ? candidate : `${candidate}\t${sentence}`
  })
  const fileKinds = expected.kind === 'vaults' ? 'folders' : expected.kind === 'files' ? 'files' : 'none'
  return `${[fileKinds, ...lines].join('\n')}\n`
}

/** Returns the candidates that start with the text. Case is ignored only if there is no exact match. */
function matchingStart(candidates: readonly Candidate[], start: string): readonly Candidate[] {
  // A name with a line feed would become two candidates.
  const usable = candidates.filter(({ value }) => !/[\n\r\t]/.test(value))
  const exact = usable.filter(({ value }) => value.startsWith(start))
  return exact.length > 0 ? exact : usable.filter(({ value }) => foldId(value).startsWith(foldId(start)))
}

interface TypedWords {
  readonly words: readonly string[]
  readonly start: string
}

async function candidatesFor(invocation: Invocation, expected: Expected, typedLine: TypedWords): Promise<readonly Candidate[]> {
  if (expected.kind === 'one of') return expected.candidates
  if (expected.kind === 'nothing' || expected.kind === 'files') return []
  // Errors are ignored, because completion cannot show them.
  return await fromVaults(invocation, expected.kind, typedLine).catch(() => [])
}

async function fromVaults(
  { host, printer }: Invocation,
  kind: 'notes' | 'folders' | 'tags' | 'vaults',
  { words, start }: TypedWords,
): Promise<readonly Candidate[]> {
  const options = parseArguments(vaultOptions(words), GLOBAL_OPTIONS).options
  const input = settingsInput({ host, printer, options, positionals: [] })
  if (kind === 'vaults') {
    const { readVaults } = await import('../../config/load-vaults.ts')
    const { server } = await readVaults(input)
    return Object.entries(server.settings.vaults).map(([value, folder]) => ({ value, sentence: folder }))
  }
  const { vaults } = await loadVaults(input)
  const { openCore, shareParts } = await host.compose()
  const shared = shareParts()
  try {
    const all = await Promise.all(
      vaults.map(async (vault) => {
        const core = await openCore(vault.settings, { ...vault, watch: false, shared })
        try {
          // Names are read from the existing index, without waiting for indexing.
          return await core.store.read(async (snapshot) => await namesIn(snapshot, kind, { start, vault: vault.name }))
        } finally {
          await core.close()
        }
      }),
    )
    return all.flat()
  } finally {
    await shared.close()
  }
}

function vaultOptions(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    const [, flag = '', value] = /^(--(?:vault|config|set))(?:=(.*))?$/s.exec(word) ?? []
    const optionValue = value ?? words[at + 1]
    return flag === '' || optionValue === undefined ? [] : [`${flag}=${optionValue}`]
  })
}

interface BegunPath {
  readonly start: string
  readonly vault: string | undefined
}

async function namesIn(
  snapshot: Snapshot,
  kind: 'notes' | 'folders' | 'tags',
  { start, vault }: BegunPath,
): Promise<readonly Candidate[]> {
  if (kind === 'tags') return (await snapshot.tags()).map(({ tag, count }) => ({ value: tag, sentence: amount(count, 'note') }))
  const bare = withoutVault(start, vault)
  const prefix = start.slice(0, start.length - bare.length)
  const path = foldId(bare)
  const { items } = await snapshot.select({ kinds: NODES, path: path.slice(0, path.lastIndexOf('/') + 1) }, ALL)
  const ownItems = items.map(({ id, title }) => ({ id: withoutVault(id, vault), title }))
  const candidates = [...oneStep(ownItems, path, kind)]
  if (kind === 'notes' && bare !== '') {
    const notes = await snapshot.select({ kinds: ['note'] }, ALL)
    for (const { title, id } of notes.items)
      if (foldId(title).startsWith(path)) candidates.push({ value: title, sentence: withoutVault(id, vault) })
  }
  return candidates.map(({ value, ...more }) => ({ ...more, value: prefix + value }))
}

/** Returns the next folder of each path, because shells complete paths one folder at a time. */
function oneStep(
  items: readonly { readonly id: string; readonly title: string }[],
  path: string,
  kind: 'notes' | 'folders',
): readonly Candidate[] {
  const depth = path.lastIndexOf('/') + 1
  const candidatesByValue = new Map<string, Candidate>()
  for (const { id, title } of items) {
    if (!id.startsWith(path)) continue
    const end = id.indexOf('/', depth)
    if (end >= 0) candidatesByValue.set(id.slice(0, end + 1), { value: id.slice(0, end + 1) })
    else if (kind === 'notes') candidatesByValue.set(id, { value: id, ...(title === nameOf(id) ? {} : { sentence: title }) })
  }
  return [...candidatesByValue.values()]
}
