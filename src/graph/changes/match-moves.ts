import { groupBy } from '../../core/group-by.ts'
import { nameOf } from '../../core/paths.ts'

/** A removed or added file. */
export interface Movable {
  readonly path: string
  /** Empty if the bytes are unknown. */
  readonly hash: string
  links(): ReadonlySet<string>
}

/**
 * Minimum number of links for a match by links. If files share fewer links, that may be a coincidence unless their names are also
 * equal.
 */
const DISTINCTIVE_LINKS = 2

/**
 * Matches removed files with added files: first by content, then by links if no other file has the same ones.
 * @returns the new path of each moved file, by its old path
 */
export function matchMoves(removed: readonly Movable[], added: readonly Movable[]): ReadonlyMap<string, string> {
  const moves = new Map<string, string>()
  if (removed.length === 0 || added.length === 0) return moves
  const pairUp = (keyOf: (file: Movable) => string | undefined, options: { readonly onlyOne: boolean }): void => {
    const matched = new Set(moves.values())
    const from = grouped(
      removed.filter(({ path }) => !moves.has(path)),
      keyOf,
    )
    const to = grouped(
      added.filter(({ path }) => !matched.has(path)),
      keyOf,
    )
    for (const [key, olds] of from) {
      const news = to.get(key) ?? []
      if (options.onlyOne && (olds.length > 1 || news.length > 1)) continue
      // If a folder with several identical files was moved, match them in order.
      olds.slice(0, news.length).forEach((old, at) => {
        moves.set(old.path, news[at]?.path ?? '')
      })
    }
  }
  pairUp(({ path, hash }) => (hash === '' ? undefined : `${hash}/${nameOf(path)}`), { onlyOne: false })
  pairUp(({ hash }) => (hash === '' ? undefined : hash), { onlyOne: true })
  pairUp((file) => linkKey(file, 1, nameOf(file.path)), { onlyOne: true })
  pairUp((file) => linkKey(file, DISTINCTIVE_LINKS, ''), { onlyOne: true })
  return moves
}

function linkKey(file: Movable, minLinks: number, name: string): string | undefined {
  // A file that was not read has no known links.
  if (file.hash === '') return undefined
  const links = file.links()
  return links.size < minLinks ? undefined : [name, ...[...links].sort()].join('\0')
}

/** Groups files by key, ordered by path. Files without a key are left out. */
function grouped(files: readonly Movable[], keyOf: (file: Movable) => string | undefined) {
  const groups = groupBy(
    files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    keyOf,
  )
  groups.delete(undefined)
  return groups
}
