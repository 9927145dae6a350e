import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { shellWord } from '../../config/shell-word.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { UsageError } from '../host.ts'

interface ShellContext {
  readonly cwd: string
  readonly vaults: readonly LoadedVault[]
}

/** Kinds of argument for which a path is accepted. */
const PATHS: ReadonlySet<unknown> = new Set(['note', 'note or folder', 'place'])

/**
 * Replaces shell paths in the arguments, such as `./Plans/Garden.md` or `/home/me/notes/Plans`, with paths inside the vault. Other
 * values are left unchanged.
 * @throws UsageError for a folder outside every vault, because the user probably means another vault
 */
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

/** Checks whether text looks like a path completed by a shell. */
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
 * Returns the path relative to a folder, with forward slashes. Symbolic links are only followed if the path is not inside the folder
 * as written.
 */
function insideOf(root: string, path: string): string | undefined {
  for (const inside of [relative(root, path), relative(realPath(root), realPath(path))]) {
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.split(sep).join('/')
  }
  return undefined
}

/** Resolves symbolic links in the part of the path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}
