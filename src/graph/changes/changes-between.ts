import { foldId } from '../../core/ids.ts'
import type { FileRecord, ResolvedLink } from '../../core/index-writer.ts'
import type { GraphChanges, LinkEnd, LoggedFile, LoggedFileChange, LoggedLinkChange } from '../../core/insight/graph-changes.ts'
import { linkText } from '../../core/text/link-text.ts'
import { type Movable, matchMoves } from './match-moves.ts'

export interface CommittedFiles {
  readonly before: readonly FileRecord[]
  readonly after: readonly FileRecord[]
  readonly removed: readonly number[]
  /** Returns the path of a key at the time of the change, because new files reuse the keys of deleted ones. */
  pathOf(key: number): string | undefined
  formerPath(path: string): string | undefined
  /** The time of the commit, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly change: string | undefined
}

/** This many digits distinguish all versions of a vault's notes. */
const HASH_DIGITS = 16

/** Returns `undefined` if a link points to an unknown file. */
export function changesBetween(files: CommittedFiles): GraphChanges | undefined {
  const { before, after, removed, pathOf } = files
  const recordsBefore = new Map(before.map((record) => [record.key, record]))
  // A file that was deleted before it was read is not logged.
  const removedRecords = removed.flatMap((key) => recordsBefore.get(key) ?? [])
  const moves = movesOf(files, removedRecords, recordsBefore)
  const goneEnds = new Map(removedRecords.map(({ key, path }) => [key, moves.get(path) ?? `/${path}`]))
  let isKnown = true
  const endOf = (to: ResolvedLink['to']): LinkEnd => {
    if (typeof to === 'string') return `//${foldId(to)}`
    const path = goneEnds.get(to) ?? pathOf(to)
    if (path === undefined) isKnown = false
    return path ?? ''
  }
  const links: LoggedLinkChange[] = []
  const movedFrom = new Map([...moves].map(([from, to]) => [to, from]))
  const byPath = new Map(removedRecords.map((record) => [record.path as string, record]))
  const formerOf = ({ key, path }: FileRecord): FileRecord | undefined =>
    recordsBefore.get(key) ?? byPath.get(movedFrom.get(path) ?? '')
  const add = (changes: readonly LoggedLinkChange[]): void => {
    for (const change of changes) links.push(change)
  }
  for (const record of after) add(linkChanges(record.path, [formerOf(record)?.links ?? [], record.links], endOf))
  for (const record of removedRecords) {
    if (!moves.has(record.path)) add(linkChanges(`/${record.path}`, [record.links, []], endOf))
  }
  return isKnown ? { files: fileChanges(files, { gone: removedRecords, moves, formerOf }), links } : undefined
}

function movesOf(
  { after, formerPath, pathOf }: CommittedFiles,
  removed: readonly FileRecord[],
  recordsBefore: ReadonlyMap<number, FileRecord>,
): ReadonlyMap<string, string> {
  const goneKeys = new Set(removed.map(({ key }) => key))
  const isNew = ({ key }: FileRecord): boolean => !recordsBefore.has(key)
  const added = after.filter(isNew)
  const leaving = new Set<string>(removed.map(({ path }) => path))
  const reportedMoves = added.flatMap(({ path }): readonly (readonly [string, string])[] => {
    const from = formerPath(path)
    return from !== undefined && leaving.has(from) ? [[from, path]] : []
  })
  const moves = new Map(reportedMoves)
  const arrived = new Set(moves.values())
  // Links between files that move together are compared as written.
  const movable = ({ path, hash, links }: FileRecord): Movable => ({
    path,
    hash: hash.slice(0, HASH_DIGITS),
    links: () => {
      const ends = links.map(({ to }) =>
        typeof to === 'string' ? `//${foldId(to)}` : goneKeys.has(to) ? '' : (pathOf(to) ?? ''),
      )
      return new Set(ends.filter((end) => end !== '' && end !== path))
    },
  })
  const matches = matchMoves(
    removed.filter(({ path }) => !moves.has(path)).map(movable),
    added.filter(({ path }) => !arrived.has(path)).map(movable),
  )
  for (const [from, to] of matches) moves.set(from, to)
  return moves
}

interface Matched {
  readonly gone: readonly FileRecord[]
  readonly moves: ReadonlyMap<string, string>
  readonly formerOf: (record: FileRecord) => FileRecord | undefined
}

function fileChanges({ after, time, change }: CommittedFiles, { gone, moves, formerOf }: Matched): readonly LoggedFileChange[] {
  const commit = { time, ...(change === undefined ? {} : { change }) }
  const changed = after.flatMap((record): readonly LoggedFileChange[] => {
    const recordBefore = formerOf(record)
    if (recordBefore === undefined) return [{ to: record.path, after: loggedFile(record), ...commit }]
    const [before, now] = [loggedFile(recordBefore), loggedFile(record)]
    if (recordBefore.path === record.path && sameFile(before, now)) return []
    return [{ from: recordBefore.path, to: record.path, before, after: now, ...commit }]
  })
  const removed = gone.filter(({ path }) => !moves.has(path))
  return [
    ...changed,
    ...removed.map((record): LoggedFileChange => ({ from: record.path, before: loggedFile(record), ...commit })),
  ]
}

function loggedFile({ kind, title, hash, excluded }: FileRecord): LoggedFile {
  return { kind, title, hash: hash.slice(0, HASH_DIGITS), ...(excluded ? { excluded: true } : {}) }
}

function sameFile(a: LoggedFile, b: LoggedFile): boolean {
  return a.hash === b.hash && a.kind === b.kind && a.title === b.title && a.excluded === b.excluded
}

/** The links from one file to one target, heading or block, before and after the commit. */
interface Tally {
  readonly to: LinkEnd
  readonly part: string | undefined
  was: number
  now: number
  readonly texts: Map<string, { line: number; more: number }>
}

function linkChanges(
  from: LinkEnd,
  [before, after]: readonly [readonly ResolvedLink[], readonly ResolvedLink[]],
  endOf: (to: ResolvedLink['to']) => LinkEnd,
): readonly LoggedLinkChange[] {
  const tallies = new Map<string, Tally>()
  const count = (links: readonly ResolvedLink[], isNow: boolean): void => {
    for (const link of links) {
      const to = endOf(link.to)
      const parts = link.brokenSubpath === true ? [undefined, link.subpath ?? ''] : [undefined]
      for (const part of parts) countLink(tallyOf(tallies, to, part), link, isNow)
    }
  }
  count(before, false)
  count(after, true)
  return [...tallies.values()].flatMap(({ to, part, was, now, texts }) => {
    if (was === now) return []
    const differing = [...texts].flatMap(([text, { line, more }]) => (more === 0 ? [] : [[text, line, more] as const]))
    return [{ from, to, ...(part === undefined ? {} : { part }), was, now, texts: differing }]
  })
}

function tallyOf(tallies: Map<string, Tally>, to: LinkEnd, part: string | undefined): Tally {
  const key = part === undefined ? to : `${to}\0${part}`
  const tally = tallies.get(key) ?? { to, part, was: 0, now: 0, texts: new Map() }
  tallies.set(key, tally)
  return tally
}

function countLink(tally: Tally, link: ResolvedLink, isNow: boolean): void {
  if (isNow) tally.now++
  else tally.was++
  const text = linkText(link)
  const entry = tally.texts.get(text)
  if (entry === undefined) tally.texts.set(text, { line: link.line, more: isNow ? 1 : -1 })
  else {
    entry.more += isNow ? 1 : -1
    // The line is that of the last added link, or of the first removed one.
    if (isNow) entry.line = link.line
  }
}
