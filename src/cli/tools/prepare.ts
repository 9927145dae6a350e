import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { GraphCore } from '../../app/graph-core.ts'
import { ambiguousName, meaningsOf } from '../../app/names/known-node.ts'
import { isFolder } from '../../app/scope.ts'
import type { Vaults } from '../../app/vaults.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { shellWord } from '../../config/values.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import { NO_TIMEOUT } from '../../core/waiting.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { UsageError } from '../host.ts'
import { durationText } from '../output/text.ts'

/** Replaces titles and aliases with ids. Unknown names stay, because the tool reports them. @throws RouxError `AMBIGUOUS_NAME` */
export async function resolveNames(
  vaults: Vaults,
  { names = {} }: Pick<Tool, 'names'>,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const resolved: Record<string, unknown> = { ...args }
  for (const [name, nameKind] of Object.entries(names)) {
    if (nameKind !== 'note' && nameKind !== 'note or folder') continue
    const value = args[name]
    const where = { orFolder: nameKind === 'note or folder', vault: args.vault }
    const resolve = async (item: unknown): Promise<unknown> =>
      typeof item === 'string' ? await resolveIn(vaults, item, where) : item
    if (value !== undefined) resolved[name] = await (Array.isArray(value) ? Promise.all(value.map(resolve)) : resolve(value))
  }
  return resolved
}

interface NameContext {
  /** True if folders are accepted. A folder takes precedence over a note with the same title. */
  readonly orFolder: boolean
  readonly vault: unknown
}

async function resolveIn(vaults: Vaults, value: string, { orFolder, vault }: NameContext): Promise<string> {
  const vaultOfName = vaultOf(value, vaults.names)
  const inOwn =
    vaultOfName === undefined ? [] : await idsIn(vaults, [vaultOfName], { orFolder, name: value.slice(vaultOfName.length + 1) })
  const all = vaults.names.length === 0 ? [undefined] : vaults.names
  const searched = typeof vault === 'string' && vaults.names.includes(vault) ? [vault] : all
  // A title may start with what looks like a vault name, as in "Work: plan". If that vault has no such note, the name is looked
  // up as written.
  const ids = inOwn.length > 0 ? inOwn : await idsIn(vaults, searched, { orFolder, name: value })
  if (ids.length > 1) throw ambiguousName(value, ids)
  return ids[0] ?? value
}

async function idsIn(
  vaults: Vaults,
  searched: readonly (string | undefined)[],
  { orFolder, name }: { readonly orFolder: boolean; readonly name: string },
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const vault of searched) {
    const opening = vaults.open(vault)
    // A missing vault is ignored here, because the tool reports it.
    const core = await (vault === undefined ? opening : opening.catch(() => undefined))
    const ids = await core?.store.read(async (snapshot) => {
      if (orFolder && (await isFolder(snapshot, name))) return [vault === undefined ? name : `${vault}:${name}`]
      const [meaning] = await meaningsOf(snapshot, core, [name])
      return meaning?.isId === true && vault === undefined ? [name] : (meaning?.ids ?? [])
    })
    for (const id of ids ?? []) found.add(id)
  }
  return [...found]
}

interface ShellContext {
  readonly cwd: string
  readonly vaults: readonly LoadedVault[]
}

const PATHS: ReadonlySet<unknown> = new Set(['note', 'note or folder', 'place'])

/** Replaces shell paths such as `./Plans/Garden.md` with vault paths. @throws UsageError for a folder outside every vault */
export function withoutShellPaths(
  { names = {} }: Pick<Tool, 'names'>,
  args: Readonly<Record<string, unknown>>,
  where: ShellContext,
): Readonly<Record<string, unknown>> {
  const inVault = (value: unknown): unknown => (typeof value === 'string' && isShellPath(value) ? placeOf(value, where) : value)
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (!PATHS.has(names[name])) return [name, value]
      return [name, Array.isArray(value) ? value.map(inVault) : inVault(value)]
    }),
  )
}

export function isShellPath(text: string): boolean {
  return isAbsolute(text) || /^\.\.?(?:[\\/]|$)/.test(text)
}

function placeOf(text: string, { cwd, vaults }: ShellContext): string {
  const path = resolve(cwd, text)
  for (const { name, settings, stored } of vaults) {
    const place = stored === undefined ? insideOf(settings.vault.path, path) : undefined
    if (place === undefined) continue
    const whole = place !== '' && /[\\/]$/.test(text) ? `${place}/` : place
    return name === undefined ? whole : `${name}:${whole}`
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return text
  throw new UsageError(`${shellWord(path)} is not inside a vault.`, `To use it as a vault: --vault ${shellWord(path)}`)
}

/**
 * Returns the path within a folder, with forward slashes. Symbolic links are resolved only if the path is not inside the folder
 * as written.
 */
function insideOf(root: string, path: string): string | undefined {
  for (const inside of [relative(root, path), relative(realPath(root), realPath(path))]) {
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.split(sep).join('/')
  }
  return undefined
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** Waits until notes can be found, but not for vectors if computing them may take hours. */
export async function awaitFindable(core: GraphCore, by: SearchReadiness, { embedder }: Settings): Promise<void> {
  await core.indexing.awaitFindable('words', NO_TIMEOUT)
  if (by === 'meaning' && embedder.kind === 'static') await core.indexing.awaitFindable('meaning', NO_TIMEOUT)
}

export function remainderOf(core: GraphCore, by: SearchReadiness): string | undefined {
  const { vectors, message } = core.indexing.status().search ?? {}
  if (by === 'words' || vectors === undefined || message !== undefined || vectors.done >= vectors.total) return undefined
  const time = vectors.remaining === undefined ? '' : `, ${durationText(vectors.remaining)}`
  return `"roux index" embeds the rest: ${vectors.total - vectors.done} notes${time}. Finished work is kept.`
}
