import { foldId, type NodeId } from '../../core/ids.ts'
import { type Community, type CommunityLevel, type Insight, NO_COMMUNITY, STUB_WORDS } from '../../core/insight/insight.ts'
import { folderOf } from '../../core/paths.ts'
import type { NodeSummary, Snapshot } from '../../core/store.ts'
import type { Call, Read } from '../answer/answer-when-ready.ts'
import { Budget, countInTurn, type Fitted, isLeftOut, jsonBytes, listShown, nonZero, SEPARATOR } from '../answer/budget.ts'
import { spelledId } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { answerFromInsight, communityId, communityLabel, type FoundCommunity, requireCommunity } from '../find/communities.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'
import { type Catalogue, findCatalogues } from './catalogues.ts'

export interface MapArguments {
  readonly scope?: string | undefined
  readonly community?: string | undefined
  readonly level: number
}

export interface CommunityRow {
  readonly id: string
  /** The user's label, or else what most of the notes are about. */
  readonly label: string
  readonly notes: number
  readonly about: string
  readonly key: readonly NodeSummary[]
  /** The share of links within the community, 0–1. */
  readonly inside: number
  readonly folders: readonly string[]
  /** Number of stubs, if most notes of the community are stubs. */
  readonly stubs?: number
}

export interface BridgeRow {
  readonly of: readonly [string, string]
  readonly links: number
  readonly through: NodeSummary
}

export interface VaultMap {
  readonly notes: number
  readonly links: number
  /** The catalogues, largest first, if they make up most of the community. */
  readonly catalogues?: readonly Catalogue[]
  readonly community?: CommunityRow
  /** The communities, largest first. */
  readonly communities: readonly CommunityRow[]
  /** The connections with the most links come first. */
  readonly between: readonly BridgeRow[]
  readonly stubs: number
  readonly alone: number
  readonly changed?: { readonly new: readonly string[]; readonly gone: readonly string[]; readonly moved: number }
}

const NOTHING: VaultMap = { notes: 0, links: 0, communities: [], between: [], stubs: 0, alone: 0 }

export function mapVault(core: GraphCore, args: MapArguments, call: Call = {}): Promise<Answer<VaultMap>> {
  return answerFromInsight(core, call, {
    from: core.insights,
    empty: NOTHING,
    use: (insight, read) => mapOf({ core, insight, read }, args),
  })
}

export interface MapContext {
  readonly core: GraphCore
  readonly insight: Insight
  readonly read: Read
}

async function mapOf(reading: MapContext, { scope, community, level }: MapArguments): Promise<Answer<VaultMap>> {
  const { core, insight } = reading
  const { levels, changed } = insight.communities
  const whole = community === undefined ? undefined : requireCommunity(insight.communities, community, core)
  const shownLevel: CommunityLevel = whole === undefined ? levels[level === 2 ? 1 : 0] : levels[1]
  const folder = foldId(trimFolder(scope ?? ''))
  const isIn = (note: number): boolean =>
    (whole === undefined || whole.level.of[note] === whole.place) &&
    (folder === '' || isBelow(insight.ids[note] as NodeId, folder, core))
  const notes = insight.ids.flatMap((_, note) => (isIn(note) ? [note] : []))
  const counts = countBy(notes, shownLevel)
  const places = [...counts.keys()].sort((a, b) => (counts.get(b) as number) - (counts.get(a) as number) || a - b)
  const placeSet = new Set(places)
  const bridges = shownLevel.between.filter(({ of: [a, b] }) => placeSet.has(a) && placeSet.has(b))
  const keys = new Set([
    ...[...places.map((place) => shownLevel.list[place]), whole?.community].flatMap((community) => community?.key ?? []),
    ...bridges.map(({ through }) => through),
  ])
  const titles = await reading.read((snapshot) =>
    titlesOf(
      snapshot,
      [...keys].map((note) => insight.ids[note] as NodeId),
    ),
  )
  const labels = await core.insightState.labels()
  const catalogues = whole === undefined ? await findCatalogues(reading, notes) : []
  const rowsOf = async (of: CommunityLevel, indexes: readonly number[]) => {
    const folders = await mainFoldersOf(reading, of, indexes)
    return (place: number, size: number): CommunityRow => rowOf(reading, { of, place, size, folders, labels }, titles)
  }
  const row = await rowsOf(shownLevel, places)
  const rowOfWhole = whole === undefined ? undefined : await rowsOf(whole.level, [whole.place])
  const summary = (note: number): NodeSummary => summaryOf(insight.ids[note] as NodeId, titles)
  const idOf = (place: number): string => communityId((shownLevel.list[place] as Community).id, core)
  const value: VaultMap = {
    notes: notes.length,
    links: notes.reduce((sum, note) => sum + (insight.linkCounts[note] as number), 0),
    ...(catalogues.length === 0 ? {} : { catalogues }),
    ...(whole === undefined || rowOfWhole === undefined ? {} : { community: rowOfWhole(whole.place, whole.community.size) }),
    communities: places.map((place) => row(place, counts.get(place) as number)),
    between: bridges.map(({ of: [a, b], links, through }) => ({ of: [idOf(a), idOf(b)], links, through: summary(through) })),
    stubs: notes.filter((note) => (insight.ownWords[note] as number) < STUB_WORDS).length,
    alone: notes.filter((note) => shownLevel.of[note] === NO_COMMUNITY).length,
    ...(changed === undefined || whole !== undefined || folder !== '' ? {} : { changed: namedChange(changed, core) }),
  }
  return { value, warnings: await warningsOf(reading, { scope, whole, isEmpty: notes.length === 0 }) }
}

/** Returns true if a note is in the folder. `folder` must be folded. The id may include the vault's name. */
export function isBelow(id: NodeId, folder: string, { name }: Pick<GraphCore, 'name'>): boolean {
  return (name === undefined ? id : id.slice(name.length + 1)).startsWith(`${folder}/`)
}

function countBy(notes: readonly number[], { of }: CommunityLevel): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const note of notes) {
    const place = of[note] as number
    if (place !== NO_COMMUNITY) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return counts
}

type Titles = ReadonlyMap<NodeId, string>

export async function titlesOf(snapshot: Snapshot, ids: readonly NodeId[]): Promise<Titles> {
  const names = await snapshot.namesOf(ids)
  return new Map(names.flatMap(([title], at) => (title === undefined ? [] : [[ids[at] as NodeId, title] as const])))
}

export function summaryOf(id: NodeId, titles: Titles): NodeSummary {
  return { id, title: titles.get(id) ?? id }
}

interface PlacedCommunity {
  readonly of: CommunityLevel
  readonly place: number
  readonly size: number
  readonly folders: ReadonlyMap<number, readonly string[]>
  readonly labels: ReadonlyMap<string, string>
}

function rowOf(
  { core, insight }: MapContext,
  { of: level, place, size, folders, labels }: PlacedCommunity,
  titles: Titles,
): CommunityRow {
  const community = level.list[place] as Community
  const key = community.key.map((note) => summaryOf(insight.ids[note] as NodeId, titles))
  return {
    id: communityId(community.id, core),
    label: communityLabel(community, labels),
    notes: size,
    about: community.words.join(', '),
    key,
    inside: Number(community.inside.toFixed(2)),
    folders: folders.get(place) ?? [],
    ...(community.stubs * 2 > community.size ? { stubs: community.stubs } : {}),
  }
}

/** Minimum share of a community's notes. */
const MIN_SHARE = 0.25

interface FolderCount {
  readonly folder: string
  count: number
  readonly note: NodeId
}

/** Returns the largest folders of each community, except the root. */
async function mainFoldersOf(
  { insight, read }: MapContext,
  { of, list }: CommunityLevel,
  places: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const counts = new Map(places.map((place) => [place, new Map<string, FolderCount>()]))
  insight.ids.forEach((id, note) => {
    const inFolders = counts.get(of[note] as number)
    const folder = folderOf(id)
    if (inFolders === undefined || folder === '') return
    const entry = inFolders.get(folder)
    if (entry === undefined) inFolders.set(folder, { folder, count: 1, note: id as NodeId })
    else entry.count++
  })
  const main = [...counts].map(([place, inFolders]) => {
    const minNotes = (list[place] as Community).size * MIN_SHARE
    return [place, [...inFolders.values()].filter(({ count }) => count >= minNotes).sort((a, b) => b.count - a.count)] as const
  })
  const notes = [...new Set(main.flatMap(([, folders]) => folders.map(({ note }) => note)))]
  const versions = await read((snapshot) => snapshot.versions(notes))
  const paths = new Map(notes.map((note, at) => [note, versions[at]?.path]))
  const spelled = ({ folder, note }: FolderCount): string => {
    const path = paths.get(note)
    return path === undefined ? folder : folderOf(spelledId(note, path))
  }
  return new Map(main.map(([place, folders]) => [place, folders.map(spelled)]))
}

function namedChange(changed: NonNullable<VaultMap['changed']>, core: GraphCore): NonNullable<VaultMap['changed']> {
  const idsShown = (ids: readonly string[]) => ids.map((id) => communityId(id, core))
  return { new: idsShown(changed.new), gone: idsShown(changed.gone), moved: changed.moved }
}

async function warningsOf(
  { core, insight, read }: MapContext,
  {
    scope,
    whole,
    isEmpty,
  }: { readonly scope: string | undefined; readonly whole: FoundCommunity | undefined; readonly isEmpty: boolean },
): Promise<readonly Warning[]> {
  const { unread } = insight
  const warnings: Warning[] = []
  if (isEmpty) warnings.push(...(await read((snapshot) => scopeWarnings(snapshot, { folder: scope }))))
  if (whole !== undefined && !insight.communities.levels[1].list.some(({ id }) => id.startsWith(`${whole.community.id}.`))) {
    const message = `${communityId(whole.community.id, core)} has no smaller communities; find_nodes with community:${communityId(whole.community.id, core)} lists its notes.`
    warnings.push({ code: 'NOTICE', message })
  }
  if (unread.length > 0) {
    const message = `${unread.length} notes could not be read, so only their names and links were used.`
    warnings.push({ code: 'UNREAD', message })
  }
  return warnings
}

/** A map whose lists are omitted if no item fits. */
export type ShownMap = Omit<VaultMap, 'communities' | 'between'> &
  Partial<Pick<VaultMap, 'between'>> & { readonly communities?: readonly ShownCommunity[] }
type ShownCommunity = Omit<CommunityRow, 'key' | 'folders'> & Partial<Pick<CommunityRow, 'key' | 'folders'>>

/** Cumulative shares of the budget. Connections get the rest. */
const SHARES = { catalogues: 0.3, communities: 0.6, keys: 0.85 }
const MAX_BRIDGES = 12

/** Fills the budget with catalogues and communities, then key notes, then connections between shown communities, then folders. */
export function fitMap(map: VaultMap, room: number): Fitted<ShownMap> {
  const budget = new Budget(room)
  const all = map.catalogues ?? []
  budget.spend(jsonBytes({ ...map, catalogues: [], communities: [], between: [] }))
  const catalogues = all.slice(0, countInTurn([all], budget, { share: SHARES.catalogues, minItems: 1 })[0])
  const bare = map.communities.map(({ key, folders, ...row }) => ({
    ...row,
    ...listShown('key', key, []),
    ...listShown('folders', folders, []),
  }))
  const [count] = countInTurn([bare], budget, { share: SHARES.communities, minItems: catalogues.length > 0 ? 0 : 1 })
  const rows = map.communities.slice(0, count)
  const keys = countInTurn(
    rows.map(({ key }) => key.map((note, at) => ({ note, isFirst: at === 0 }))),
    budget,
    { share: SHARES.keys, bytesOf: ({ note, isFirst }) => jsonBytes(note) + (isFirst ? ',"key":[]'.length : SEPARATOR) },
  )
  const ids = new Set(rows.map(({ id }) => id))
  const connecting = map.between.filter(({ of }) => of.every((id) => ids.has(id)))
  const bridges = connecting.slice(0, MAX_BRIDGES)
  const between = bridges.slice(0, countInTurn([bridges], budget)[0])
  const withFolders = countInTurn(
    rows.map(({ folders }) => [folders]),
    budget,
    { bytesOf: (folders) => jsonBytes({ folders }) - '{}'.length + SEPARATOR },
  )
  const communities = rows.map(({ key, folders, ...row }, at) => ({
    ...row,
    ...listShown('key', key, key.slice(0, keys[at])),
    ...listShown('folders', folders, withFolders[at] === 1 ? folders : []),
  }))
  const omittedOf = (name: 'key' | 'folders') =>
    rows.reduce((sum, row, at) => sum + row[name].length - (communities[at]?.[name]?.length ?? 0), 0)
  const capped = nonZero({ between: connecting.length - bridges.length })
  const omitted = nonZero({
    catalogues: all.length - catalogues.length,
    communities: map.communities.length - rows.length,
    between: map.between.length - between.length - (capped.between ?? 0),
    key: omittedOf('key'),
    folders: omittedOf('folders'),
  })
  const { communities: _, between: __, ...facts } = map
  return {
    value: {
      ...facts,
      ...(all.length === 0 ? {} : { catalogues }),
      ...(isLeftOut(map.communities, communities) ? {} : { communities }),
      ...listShown('between', map.between, between),
    },
    omitted,
    capped,
  }
}
