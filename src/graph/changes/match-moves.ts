import { groupBy } from '../../core/group-by.ts'
import type { GraphChanges, LinkEnd, LoggedFileChange, LoggedLinkChange, LoggedText } from '../../core/insight/graph-changes.ts'
import { nameOf } from '../../core/paths.ts'

export interface Movable {
  readonly path: string
  /** The file's hash. It is empty if the file was not read. */
  readonly hash: string
  links(): ReadonlySet<string>
}

/** If files share fewer links than this, their names must match, too. */
const DISTINCTIVE_LINKS = 2

/** Matches moved files by content, and then by links if they are unique. @returns new paths by old path */
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
      // Identical files are matched in order, for example after a folder was moved.
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
  // The links of a file that was not read are unknown.
  if (file.hash === '') return undefined
  const links = file.links()
  return links.size < minLinks ? undefined : [name, ...[...links].sort()].join('\0')
}

function grouped(files: readonly Movable[], keyOf: (file: Movable) => string | undefined) {
  const groups = groupBy(
    files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    keyOf,
  )
  groups.delete(undefined)
  return groups
}

/**
 * Merges the removal and the addition of one file into one change, because some editors save by deleting and recreating a file.
 */
export function joinIdentities({ files, links }: GraphChanges): GraphChanges {
  const deleted = files.filter(({ from, to }) => from !== undefined && to === undefined)
  const added = files.filter(({ from, to }) => from === undefined && to !== undefined)
  const joined = matchesOf({ gone: deleted, added, links })
  if (joined.size === 0) return { files, links }
  const formerPath = new Map([...joined].map(([from, to]) => [to, from]))
  const goneBy = new Map(deleted.map((file) => [file.from, file]))
  return {
    files: files.flatMap((file): readonly LoggedFileChange[] => {
      if (file.to === undefined) return joined.has(file.from ?? '') ? [] : [file]
      const before = file.from === undefined ? goneBy.get(formerPath.get(file.to)) : undefined
      return before?.from === undefined
        ? [file]
        : [{ ...file, from: before.from, ...(before.before && { before: before.before }) }]
    }),
    links: joinLinks(links, (end) => (end.startsWith('//') || !end.startsWith('/') ? end : (joined.get(end.slice(1)) ?? end))),
  }
}

interface SeparateFiles {
  readonly gone: readonly LoggedFileChange[]
  readonly added: readonly LoggedFileChange[]
  readonly links: readonly LoggedLinkChange[]
}

function matchesOf({ gone, added, links }: SeparateFiles): ReadonlyMap<string, string> {
  const isNew = new Set(added.map(({ to }) => to))
  const samePaths = new Map(gone.flatMap(({ from = '' }) => (isNew.has(from) ? [[from, from] as const] : [])))
  const rest = gone.filter(({ from = '' }) => !samePaths.has(from))
  const others = added.filter(({ to = '' }) => !samePaths.has(to))
  if (rest.length === 0 || others.length === 0) return samePaths
  const ends = endsBySource(links)
  const moves = matchMoves(
    rest.map(({ from = '', before }) => ({ path: from, hash: before?.hash ?? '', links: () => ends.get(`/${from}`) ?? NONE })),
    others.map(({ to = '', after }) => ({ path: to, hash: after?.hash ?? '', links: () => ends.get(to) ?? NONE })),
  )
  return new Map([...samePaths, ...moves])
}

const NONE: ReadonlySet<string> = new Set()

function endsBySource(links: readonly LoggedLinkChange[]): ReadonlyMap<LinkEnd, ReadonlySet<LinkEnd>> {
  const ends = new Map<LinkEnd, Set<LinkEnd>>()
  for (const { from, to, part } of links) {
    if (part !== undefined || from === to) continue
    const set = ends.get(from)
    if (set === undefined) ends.set(from, new Set([to]))
    else set.add(to)
  }
  return ends
}

function joinLinks(links: readonly LoggedLinkChange[], endOf: (end: LinkEnd) => LinkEnd): readonly LoggedLinkChange[] {
  const joined = new Map<string, LoggedLinkChange>()
  for (const link of links) {
    const [from, to] = [endOf(link.from), endOf(link.to)]
    const key = `${from}\0${to}\0${link.part === undefined ? '' : `#${link.part}`}`
    const other = joined.get(key)
    joined.set(
      key,
      other === undefined
        ? { ...link, from, to }
        : { ...other, was: other.was + link.was, now: other.now + link.now, texts: sumTexts([...other.texts, ...link.texts]) },
    )
  }
  return [...joined.values()].filter(({ was, now }) => was !== now)
}

function sumTexts(texts: readonly LoggedText[]): readonly LoggedText[] {
  const sums = new Map<string, LoggedText>()
  for (const [text, line, more] of texts) {
    const [, knownLine = line, sum = 0] = sums.get(text) ?? []
    sums.set(text, [text, more > 0 ? line : knownLine, sum + more])
  }
  return [...sums.values()].filter(([, , more]) => more !== 0)
}
