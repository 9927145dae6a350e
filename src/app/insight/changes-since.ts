import { RouxError } from '../../core/errors.ts'
import { foldId, type NodeId, toNodeId } from '../../core/ids.ts'
import {
  type GraphChanges,
  type LinkEnd,
  type LoggedFileChange,
  type LoggedLinkChange,
  NO_CHANGES,
} from '../../core/insight/graph-changes.ts'
import { ALL, type FileVersion, type NodeKind, type Snapshot } from '../../core/store.ts'
import { composeChanges } from '../../graph/changes/compose-changes.ts'
import { joinIdentities } from '../../graph/changes/match-moves.ts'
import { answerInSteps, type Call } from '../answer/answer-when-ready.ts'
import { fitInTurn } from '../answer/fit-members.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { type FilesByPath, filesByPath } from '../names/known-node.ts'
import type { ReadingContext } from '../read/texts.ts'
import { trimFolder } from '../scope.ts'
import {
  type ChangeWindow,
  changeCursor,
  type GenerationOf,
  readCursor,
  readSince,
  readWindow,
  type WindowStart,
} from './change-window.ts'

export interface ChangesArguments {
  readonly cursor?: string | undefined
  /** The start of the period; see `readSince`. The default is seven days ago. */
  readonly since?: string | undefined
  /** Only changes in this folder are returned. A link belongs to the folder of the note that contains it. */
  readonly folder?: string | undefined
  readonly limit: number
}

export interface ChangedNote {
  readonly id: NodeId
  readonly title: string
  readonly from?: NodeId
  /** Id of the change, if Roux made the last change to the note. */
  readonly change_id?: string
}

export interface ChangedLink {
  readonly from: NodeId
  readonly to: NodeId
  /** The 1-based line of the link. For a removed link, the last known line. */
  readonly line: number
  readonly text: string
}

export interface BrokenPlace {
  readonly id: NodeId
  readonly line: number
  readonly text: string
}

export interface RisingNote {
  readonly id: NodeId
  /** Number of linking notes at the start of the period. `now` is the current number. */
  readonly was: number
  readonly now: number
}

/** The net changes since the start of the period. Opposite changes cancel out. */
export interface ChangesAnswer {
  /** The cursor for the next call. It is `null` if the index has no lineage. */
  readonly cursor: string | null
  /** The start in ISO 8601. It is omitted if nothing has been logged. */
  readonly since?: string
  readonly notes: {
    readonly added: readonly ChangedNote[]
    readonly changed: readonly ChangedNote[]
    readonly removed: readonly ChangedNote[]
    readonly moved: readonly ChangedNote[]
  }
  readonly links: { readonly gained: readonly ChangedLink[]; readonly lost: readonly ChangedLink[] }
  /** Broken links, including those to a heading or block that disappeared. */
  readonly broken: readonly BrokenPlace[]
  readonly fixed: readonly BrokenPlace[]
  /** Notes that lost their last link, or were created without links. */
  readonly orphans: readonly ChangedNote[]
  readonly rising: readonly RisingNote[]
  /** Number of changes by kind, regardless of `limit`. Zero counts are omitted. */
  readonly totals: Readonly<Record<string, number>>
  /** The current counts, if the changes are not known. */
  readonly state?: PresentState
}

export const fitChanges = fitInTurn({
  added: 'notes.added',
  changed: 'notes.changed',
  removed: 'notes.removed',
  moved: 'notes.moved',
  gained: 'links.gained',
  lost: 'links.lost',
  broken: 'broken',
  fixed: 'fixed',
  orphans: 'orphans',
  rising: 'rising',
})

export interface PresentState {
  readonly notes: number
  readonly links: number
  readonly broken: number
  readonly orphans: number
}

const DEFAULT_SINCE = '7d'
/** The pause between retries in milliseconds. Retries are necessary, because a commit is logged shortly after it is made. */
const WAIT_FOR_LOG = { pause: 20, times: 10 }

/** Returns the changes of a period. @throws RouxError `INVALID_PARAMS` for an invalid start or page */
export function changesSince(
  core: GraphCore,
  args: ChangesArguments,
  call: Call = {},
  now = () => new Date(core.graphLog?.now?.() ?? Date.now()),
): Promise<Answer<ChangesAnswer>> {
  return answerInSteps(core, call, async (read) => {
    const range = readRange(args, now())
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === WAIT_FOR_LOG.times || core.indexing.status().log !== undefined
      const result = await read((snapshot) => describeSince({ core, snapshot, args, call }, range, isLast))
      if (result !== 'behind') return result
      await new Promise((resolve) => setTimeout(resolve, WAIT_FOR_LOG.pause))
      call.signal?.throwIfAborted()
    }
  })
}

type RequestedRange =
  | { readonly kind: 'cursor'; readonly cursor: GenerationOf | undefined }
  | { readonly kind: 'time'; readonly time: number }

function readRange({ cursor, since }: ChangesArguments, now: Date): RequestedRange {
  if (cursor !== undefined) return { kind: 'cursor', cursor: readCursor(cursor) }
  return { kind: 'time', time: readSince(since ?? DEFAULT_SINCE, now) }
}

interface ChangesContext extends ReadingContext {
  readonly args: ChangesArguments
}

interface KnownChanges {
  readonly changes: GraphChanges
  readonly since?: number
  readonly problem?: string
}

async function describeSince(
  telling: ChangesContext,
  range: RequestedRange,
  isLast: boolean,
): Promise<Answer<ChangesAnswer> | 'behind'> {
  const { core, snapshot, args } = telling
  const window = await readKnownChanges(telling, range, isLast)
  if (window === 'behind') return window
  const { lineage, generation } = snapshot
  const description = await describe(telling, window.changes)
  const isWhole = window.problem === undefined
  const warnings: Warning[] = isWhole ? [] : [{ code: 'NOTICE', message: window.problem }]
  if (Object.keys(description.totals).length === 0) warnings.push(...(await scopeWarnings(snapshot, { folder: args.folder })))
  return {
    value: {
      cursor: lineage === undefined ? null : changeCursor(core, { lineage, generation }),
      ...(window.since === undefined ? {} : { since: new Date(window.since).toISOString() }),
      ...description,
      ...(isWhole ? {} : { state: await presentState(snapshot, args) }),
    },
    warnings,
  }
}

async function readKnownChanges(
  { core, snapshot }: ChangesContext,
  range: RequestedRange,
  isLast: boolean,
): Promise<KnownChanges | 'behind'> {
  const { graphLog } = core
  const { lineage, generation } = snapshot
  if (graphLog === undefined) return unknown('Earlier states are unknown, because the setting insight.keep_days is 0.')
  if (lineage === undefined) return unknown('No change has been logged yet; the log starts with the next change.')
  try {
    const start = await startOf(range, { lineage, generation }, (other) => graphLog.ownerOf(other))
    if (typeof start === 'string') return unknown(start)
    const window = await readWindow(graphLog, { lineage, generation }, start)
    if (window.isBehind && !isLast) return 'behind'
    return knownOf(window, range, core.indexing.status().log)
  } catch (error) {
    if (error instanceof RouxError && error.code === 'PROVIDER_ERROR') return unknown(error.message)
    throw error
  }
}

function unknown(problem: string): KnownChanges {
  return { changes: NO_CHANGES, problem: `${problem} ${PRESENT}` }
}

const PRESENT = 'state describes the vault now; continue with this cursor.'

async function startOf(
  range: RequestedRange,
  { lineage, generation }: GenerationOf,
  knows: (lineage: string) => Promise<'this vault' | 'another vault' | undefined>,
): Promise<WindowStart | string> {
  if (range.kind === 'time') return { time: range.time }
  const { cursor } = range
  if (cursor === undefined) return 'The cursor is damaged, or not from changes_since.'
  if (cursor.lineage === lineage && cursor.generation <= generation) return { generation: cursor.generation }
  switch (await knows(cursor.lineage)) {
    case 'another vault':
      return 'The cursor belongs to another vault.'
    case 'this vault':
      return 'The cursor belongs to an index that has been rebuilt, so the changes in between are unknown.'
    default:
      return 'The cursor is too old, or belongs to another vault.'
  }
}

function knownOf({ changes, isWhole, begins }: ChangeWindow, range: RequestedRange, failure: string | undefined): KnownChanges {
  const composed = joinIdentities(composeChanges(changes))
  const since = range.kind === 'time' && isWhole ? range.time : begins
  const knownChanges = { changes: composed, ...(since === undefined ? {} : { since }) }
  if (isWhole) return knownChanges
  const why = failure === undefined ? '' : ` The log cannot be written: ${failure}.`
  if (begins === undefined) {
    return {
      ...knownChanges,
      problem: `The log is not up to date: nothing has been logged yet, or a change was indexed but not logged.${why} ${PRESENT}`,
    }
  }
  const from = new Date(begins).toISOString()
  if (range.kind === 'time') return { ...knownChanges, problem: `Changes before ${from} are not in the log.${why}` }
  return {
    ...knownChanges,
    problem: `The cursor is older than the log, or the log has a gap after it, so the changes start at ${from}.${why} ${PRESENT}`,
  }
}

async function presentState(snapshot: Snapshot, { folder }: ChangesArguments): Promise<PresentState> {
  const inFolder = folder === undefined || trimFolder(folder) === '' ? {} : { folder: foldId(trimFolder(folder)) }
  const [{ total }, counts, { targets }] = await Promise.all([
    snapshot.select(inFolder, { offset: 0, limit: 0 }),
    snapshot.problemCounts(inFolder),
    snapshot.topology(),
  ])
  return { notes: total, links: targets.length, broken: counts.broken_link + counts.broken_heading, orphans: counts.orphan }
}

type ChangeDescription = Pick<ChangesAnswer, 'notes' | 'links' | 'broken' | 'fixed' | 'orphans' | 'rising' | 'totals'>

interface LinkEndInfo {
  readonly id: NodeId
  readonly kind: NodeKind
  readonly title: string
  readonly isShown: boolean
}

async function describe({ core, snapshot, args }: ChangesContext, changes: GraphChanges): Promise<ChangeDescription> {
  const { ends, idOf } = await endsOf(snapshot, core, changes)
  const isInFolder = folderTest(args.folder)
  const notes = notesOf(changes.files, ends, { core, isInFolder, idOf })
  const links = linksOf(changes, ends, isInFolder)
  const orphans = await orphansOf(snapshot, changes, { ends, own: isInFolder })
  const rising = risingOf(changes.links, ends, isInFolder)
  const lists = { ...notes, ...links, orphans, rising }
  const totals = Object.fromEntries(
    Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [[name, list.length]])),
  )
  const page = <T>(list: readonly T[]): readonly T[] => list.slice(0, args.limit)
  const [gained, broken] = await Promise.all([withPlaces(snapshot, page(links.gained)), withPlaces(snapshot, page(links.broken))])
  return {
    notes: { added: page(notes.added), changed: page(notes.changed), removed: page(notes.removed), moved: page(notes.moved) },
    links: { gained, lost: page(links.lost).map(linkRow) },
    broken: broken.map(placeRow),
    fixed: page(links.fixed).map(placeRow),
    orphans: page(orphans),
    rising: await withCounts(snapshot, page(rising)),
    totals,
  }
}

function folderTest(folder: string | undefined): (path: string | undefined) => boolean {
  const start = foldId(trimFolder(folder ?? ''))
  if (start === '') return () => true
  return (path) => path !== undefined && foldId(path).startsWith(`${start}/`)
}

type Ends = ReadonlyMap<LinkEnd, LinkEndInfo>

interface EndsWithIds extends Pick<FilesByPath, 'idOf'> {
  readonly ends: Ends
}

async function endsOf(snapshot: Snapshot, core: GraphCore, { files, links }: GraphChanges): Promise<EndsWithIds> {
  const ends = new Map<LinkEnd, LinkEndInfo>()
  const ids = new Set<string>()
  for (const { from, to } of files) for (const path of [from, to]) if (path !== undefined) ids.add(path)
  for (const link of links) for (const end of [link.from, link.to]) if (!end.startsWith('/')) ids.add(end)
  const byPath = await filesByPath(snapshot, core, [...ids])
  const present = await presentFiles(
    snapshot,
    core,
    [...ids].flatMap((path) => byPath.at(path) ?? []),
  )
  for (const [path, end] of present) ends.set(path, end)
  for (const { from = '', to, before, after } of files) {
    const file = after ?? before
    if (file === undefined) continue
    const id = byPath.idOf(to ?? from)
    const isShown = file.excluded !== true && !isIgnored(core, to ?? from)
    ends.set(to ?? `/${from}`, { id, kind: file.kind, title: file.title, isShown })
  }
  for (const { to } of links) {
    if (to.startsWith('//')) ends.set(to, { id: toNodeId(to.slice(2), core.name), kind: 'missing', title: '', isShown: true })
  }
  return { ends, idOf: byPath.idOf }
}

function isIgnored({ isIgnored: isLeftOut = () => false }: Pick<GraphCore, 'isIgnored'>, path: string): boolean {
  return isLeftOut(path)
}

async function presentFiles(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'isIgnored'>,
  versions: readonly FileVersion[],
): Promise<ReadonlyMap<string, LinkEndInfo>> {
  const nodes = await snapshot.nodes(
    versions.map(({ id }) => id),
    { links: 0 },
  )
  return new Map(
    versions.map(({ id, path, kind }, at) => {
      const { title = '', excluded = false } = nodes[at] ?? {}
      return [path as string, { id, kind, title, isShown: !excluded && !isIgnored(core, path) }]
    }),
  )
}

const WRITTEN: ReadonlySet<string> = new Set(['note', 'canvas'])

function notesOf(
  files: readonly LoggedFileChange[],
  ends: Ends,
  {
    core,
    isInFolder,
    idOf,
  }: { readonly core: GraphCore; readonly isInFolder: (path: string | undefined) => boolean } & Pick<FilesByPath, 'idOf'>,
): ChangesAnswer['notes'] {
  const added: ChangedNote[] = []
  const changed: ChangedNote[] = []
  const removed: ChangedNote[] = []
  const movedNotes: ChangedNote[] = []
  for (const { from, to, before, after, change } of [...files].sort((a, b) => b.time - a.time)) {
    const end = ends.get(to ?? `/${from}`)
    if (end === undefined || !end.isShown || !WRITTEN.has(end.kind) || !(isInFolder(from) || isInFolder(to))) continue
    const change_id = change === undefined || core.name === undefined ? change : `${core.name}:${change}`
    const row = { id: end.id, title: end.title, ...(change_id === undefined ? {} : { change_id }) }
    if (to === undefined) removed.push(row)
    // A file counts as new if it used to be hidden or excluded.
    else if (from === undefined || before?.excluded || isIgnored(core, from)) added.push(row)
    else {
      if (from !== to) movedNotes.push({ ...row, from: idOf(from) })
      if (before?.hash !== after?.hash) changed.push(row)
    }
  }
  return { added, changed, removed, moved: movedNotes }
}

interface LinkPlace extends ChangedLink {
  readonly time: number
}

interface LinkLists {
  readonly gained: readonly LinkPlace[]
  readonly lost: readonly LinkPlace[]
  readonly broken: readonly LinkPlace[]
  readonly fixed: readonly LinkPlace[]
}

function linksOf({ files, links }: GraphChanges, ends: Ends, isIn: (path: string | undefined) => boolean): LinkLists {
  const times = new Map(files.map(({ from = '', to, time }) => [to ?? `/${from}`, time]))
  const lists = { gained: [] as LinkPlace[], lost: [] as LinkPlace[], broken: [] as LinkPlace[], fixed: [] as LinkPlace[] }
  for (const link of links) {
    const [from, to] = [ends.get(link.from), ends.get(link.to)]
    if (from === undefined || to === undefined || !from.isShown || !to.isShown || !isIn(link.from.replace(/^\//, ''))) continue
    const list = listOf(link, to.kind, lists)
    const time = times.get(link.from) ?? 0
    for (const { line, text } of placesOf(link)) list?.push({ from: from.id, to: to.id, line, text, time })
  }
  for (const list of Object.values(lists)) list.sort(byTimeThenPlace)
  return lists
}

function listOf<T>(
  { from, part, was, now }: LoggedLinkChange,
  kind: NodeKind,
  lists: Readonly<Record<keyof LinkLists, T>>,
): T | undefined {
  const isBroken = kind === 'missing' || part !== undefined
  if (now > was) return isBroken ? lists.broken : lists.gained
  if (now === was) return undefined
  if (!isBroken) return lists.lost
  // A broken link is not fixed by deleting the note that contains it.
  return from.startsWith('/') ? undefined : lists.fixed
}

function placesOf({ was, now, texts }: LoggedLinkChange): readonly { readonly line: number; readonly text: string }[] {
  const direction = Math.sign(now - was)
  const differing = texts.filter(([, , more]) => Math.sign(more) === direction)
  return differing
    .flatMap(([text, line, more]) => Array.from({ length: Math.abs(more) }, () => ({ line, text })))
    .slice(0, Math.abs(now - was))
}

function byTimeThenPlace(a: LinkPlace, b: LinkPlace): number {
  if (a.time !== b.time) return b.time - a.time
  if (a.from !== b.from) return a.from < b.from ? -1 : 1
  return a.line - b.line
}

/** Adds current line numbers, because later edits move links. */
async function withPlaces(snapshot: Snapshot, links: readonly LinkPlace[]): Promise<readonly ChangedLink[]> {
  const occurrences = await snapshot.occurrences(links.map(({ from, to }) => [from, to] as const))
  return links.map((link, at) => {
    const lines = (occurrences[at] ?? []).map(({ line }) => line)
    return linkRow({ ...link, line: lines.includes(link.line) ? link.line : (lines.at(-1) ?? link.line) })
  })
}

function linkRow({ from, to, line, text }: ChangedLink): ChangedLink {
  return { from, to, line, text }
}

function placeRow({ from, line, text }: ChangedLink): BrokenPlace {
  return { id: from, line, text }
}

/** Returns notes that lost their last link. Notes without links at the start of the period are skipped. */
async function orphansOf(
  snapshot: Snapshot,
  { files, links }: GraphChanges,
  { ends, own: isInFolder }: { readonly ends: Ends; readonly own: (path: string | undefined) => boolean },
): Promise<readonly ChangedNote[]> {
  const candidates = new Map<NodeId, string>()
  const consider = (end: LinkEnd): void => {
    const cachedEnd = ends.get(end)
    if (!end.startsWith('/') && cachedEnd?.kind === 'note' && cachedEnd.isShown && isInFolder(end))
      candidates.set(cachedEnd.id, cachedEnd.title)
  }
  for (const { from, to } of files) if (from === undefined && to !== undefined) consider(to)
  for (const { from, to, part, was, now } of links) {
    const isTie = part === undefined && from !== to && ends.get(from)?.kind === 'note' && ends.get(to)?.kind === 'note'
    if (!isTie || was === 0 || now > 0) continue
    consider(from)
    consider(to)
  }
  if (candidates.size === 0) return []
  const { items } = await snapshot.problems({ kind: 'orphan' }, ALL)
  return items.flatMap(({ id }) => {
    const title = candidates.get(id)
    return title === undefined ? [] : [{ id, title }]
  })
}

interface Rise {
  readonly id: NodeId
  readonly by: number
}

function risingOf(links: readonly LoggedLinkChange[], ends: Ends, isIn: (path: string | undefined) => boolean): readonly Rise[] {
  const rises = new Map<NodeId, number>()
  for (const { from, to, part, was, now } of links) {
    const [source, target] = [ends.get(from), ends.get(to)]
    if (part !== undefined || from === to || to.startsWith('/') || !isIn(to)) continue
    if (source?.kind !== 'note' || target?.kind !== 'note' || !source.isShown || !target.isShown) continue
    const by = Number(now > 0) - Number(was > 0)
    if (by !== 0) rises.set(target.id, (rises.get(target.id) ?? 0) + by)
  }
  return [...rises].flatMap(([id, by]) => (by > 0 ? [{ id, by }] : [])).sort((a, b) => b.by - a.by || (a.id < b.id ? -1 : 1))
}

async function withCounts(snapshot: Snapshot, rises: readonly Rise[]): Promise<readonly RisingNote[]> {
  const totals = await Promise.all(
    rises.map(({ id }) => snapshot.neighbors(id, { direction: 'in', kinds: ['note'] }, { offset: 0, limit: 0 })),
  )
  return rises.map(({ id, by }, at) => {
    const now = totals[at]?.total ?? by
    return { id, was: Math.max(0, now - by), now }
  })
}
