import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { shellWord } from '../../config/shell-word.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { UsageError } from '../host.ts'

interface Where {
  readonly cwd: string
  readonly vaults: readonly LoadedVault[]
}

/** Kinds of names that a path on this computer may stand for. */
const PATHS: ReadonlySet<unknown> = new Set(['note', 'note or folder', 'place'])

/**
 * The arguments with paths as a shell completes them (`./Plans/Garden.md`, `/home/me/notes/Plans`) replaced by where they lie in a vault; tools know
 * nothing of folders outside. What is no such path, or nothing on disk and in no vault, stays as it is.
 * @throws UsageError for a folder that lies in no vault: the person means another vault
 */
export function withoutShellPaths(
  { names = {} }: Pick<Tool, 'names'>,
  args: Readonly<Record<string, unknown>>,
  where: Where,
): Readonly<Record<string, unknown>> {
  const inVault = (value: unknown): unknown => (typeof value === 'string' && isShellPath(value) ? placeOf(value, where) : value)
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (!PATHS.has(names[name])) return [name, value]
      return [name, Array.isArray(value) ? value.map(inVault) : inVault(value)]
    }),
  )
}

/** Whether a text is spelled as a path, as a shell completes one. */
export function isShellPath(text: string): boolean {
  return isAbsolute(text) || /^\.\.?(?:[\\/]|$)/.test(text)
}

function placeOf(text: string, { cwd, vaults }: Where): string {
  const path = resolve(cwd, text)
  for (const { name, settings, stored } of vaults) {
    const place = stored === undefined ? insideOf(settings.vault.path, path) : undefined
    if (place === undefined) continue
    const whole = place !== '' && /[\\/]$/.test(text) ? `${place}/` : place
    return name === undefined ? whole : `${name}:${whole}`
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return text
  throw new UsageError(`${shellWord(path)} lies in no vault that is asked here.`, `To ask it as one: --vault ${shellWord(path)}`)
}

/** Where in a folder a path lies, with slashes; links to folders are followed only where it does not lie there as it is written. */
function insideOf(root: string, path: string): string | undefined {
  for (const inside of [relative(root, path), relative(realPath(root), realPath(path))]) {
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.split(sep).join('/')
  }
  return undefined
}

/** Without symbolic links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}
