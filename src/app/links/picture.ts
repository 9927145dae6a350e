import { base64 } from '../../core/base64.ts'
import { type Adjacency, degree, eachLink, undirected } from '../../core/csr.ts'
import type { NodeId } from '../../core/ids.ts'
import { type Insight, type LatestInsight, NO_COMMUNITY } from '../../core/insight/insight.ts'
import type { MayMove } from '../../core/insight/layouts.ts'
import type { LayoutProgress, PartialPicture, VaultPicture } from '../../core/insight/picture.ts'
import type { Node, Snapshot, Topology } from '../../core/store.ts'
import { untilAborted } from '../../core/waiting.ts'
import { answer, type Call, plain, timeLeft } from '../answer/answer-when-ready.ts'
import { communityLabel } from '../find/communities.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findIds } from '../names/known-node.ts'

/** A batch of this size takes a few milliseconds. */
const BATCH = 400
/** Maximum wait for communities, in milliseconds. */
const COMMUNITIES_WAIT = 1_500
/** The time in milliseconds after which a request returns the progress. */
const AHEAD_WAIT = 1_500
interface PictureLimits {
  readonly notes: number
  readonly links: number
  readonly first: number
}

const DRAWN: PictureLimits = { notes: 20_000, links: 60_000, first: 6_000 }
/** A vault of up to this size waits for communities even for its first map. */
const SMALL_VAULT = 1_500
/** If more notes than this share were added since the last layout, the map counts as crowded. */
const MAX_NEW_SHARE = 0.2

export interface PictureArguments {
  readonly mayMove: MayMove
}

/** Returns the map. Existing notes move only if `mayMove` is set. */
export function vaultPicture(core: GraphCore, { mayMove }: PictureArguments, call: Call = {}): Promise<Answer<VaultPicture>> {
  return picture(core, call, async (snapshot, { topology, following }) => {
    const placing = following.then((run) => placeNotes(core, topology, { followed: run, mayMove }))
    // This handler avoids an unhandled rejection before the `await` below.
    placing.catch(() => {})
    // The facts are read while the layout is being computed.
    const { lists } = await factsOf(snapshot, topology.ids())
    const layout = await placing
    return pictureOf(layout, { numbers: [...layout.ids.keys()], links: Number.POSITIVE_INFINITY }, lists)
  })
}

export interface PageArguments extends PictureArguments, ShownPart {}

interface ShownPart {
  readonly notes: readonly string[]
  readonly groups: readonly string[]
  readonly folder?: string | undefined
  readonly tag?: string | undefined
}

export async function pagePicture(
  core: GraphCore,
  { mayMove, ...shown }: PageArguments,
  limits = DRAWN,
): Promise<Answer<PartialPicture | LayoutProgress>> {
  const key = JSON.stringify(shown)
  const last = pendingDrawings.get(core)
  const waited = last?.key === key && mayMove !== 'all' ? last : undefined
  if (waited === undefined) {
    const before = core.layouts.underWay()
    // Nothing is drawn during a layout, because all look-ups would be repeated.
    if (before !== undefined && !(await isDoneSoon(before.ended))) return plain({ laying_out: { share: before.share() } })
  }
  const drawing =
    waited?.drawing ??
    picture(core, {}, async (snapshot, { topology, following }) => {
      const layout = await placeNotes(core, topology, { followed: await following, mayMove })
      return await drawPart(snapshot, {
        layout,
        ...(await chooseForPage(core, snapshot, { layout, shown, drawn: limits })),
      })
    })
  while (!(await isDoneSoon(drawing))) {
    const now = core.layouts.underWay()
    if (now === undefined) continue
    if (waited === undefined) keepPending(core, { key, drawing })
    return plain({ laying_out: { share: now.share() } })
  }
  forget(core, drawing)
  return await drawing
}

/** Returns the map as JSON. A finished one is kept for the next page. */
export async function pageJson(core: GraphCore, page: PageArguments): Promise<string> {
  const key = page.mayMove === 'all' ? undefined : await keyOf(core, page)
  const kept = key && (await core.layouts.keptPicture(key))
  if (kept !== undefined) return kept
  const { value } = await pagePicture(core, page)
  const json = JSON.stringify(value)
  const isFinished = !('laying_out' in value || value.is_grouping || value.is_crowded)
  if (key !== undefined && isFinished) void keep(core, page, { key, json })
  return json
}

/** Keeps a picture unless something that it depends on has changed, or communities lack notes that could not be read. */
async function keep(core: GraphCore, page: PageArguments, { key, json }: { key: string; json: string }): Promise<void> {
  if (key !== (await keyOf(core, page))) return
  const latest = await core.insights.follow({ wait: 0 }).catch(() => undefined)
  if (latest?.insight.unread.length === 0) await core.layouts.keepPicture(key, json)
}

/** Increase this number when pictures change. A test compares their members. */
export const PICTURE_FORMAT = 1
/** The phases in which a request may fail. */
const FAILED = new Set(['missing', 'failed'])

/** Returns what a picture depends on, or `undefined` if it must not be kept, or this cannot be read. */
async function keyOf(core: GraphCore, { notes, groups, folder = '', tag = '' }: ShownPart): Promise<string | undefined> {
  core.indexing.begin()
  try {
    // A note may have been excluded since the picture was kept.
    if (!(await core.indexing.ready(timeLeft({}))) || FAILED.has(core.indexing.status().phase)) return undefined
    const { generation, lineage, complete, files } = await core.store.read(async (snapshot) => snapshot)
    const layout = await core.layouts.version()
    if (lineage === undefined || !complete || layout === undefined) return undefined
    const { name, insights, insightState } = core
    const labels = [...(await insightState.labels())]
    const part = files > DRAWN.notes ? [notes, groups, folder, tag] : 'all notes'
    return JSON.stringify([PICTURE_FORMAT, layout, name, lineage, generation, insights.recipe, labels, part])
  } catch {
    return undefined
  }
}

/** Starts the computation of communities before a page needs them. */
export async function preparePicture(core: GraphCore): Promise<void> {
  // A vault without a layout first gets a picture without communities, because computing them would delay it.
  if (!(await core.layouts.hasPlaces())) return
  const key = await keyOf(core, { notes: [], groups: [] })
  if (key === undefined || (await core.layouts.keptPicture(key)) === undefined) await core.insights.follow({ wait: 0 })
}

interface PendingDrawing {
  readonly key: string
  readonly drawing: Promise<Answer<PartialPicture>>
}

/** Drawings are kept between requests, because a new one during the initial scan would start over with more notes. */
const pendingDrawings = new WeakMap<GraphCore, PendingDrawing>()
/** A finished picture is kept for this many milliseconds. */
const KEPT_FOR = 10_000

function keepPending(core: GraphCore, waited: PendingDrawing): void {
  pendingDrawings.set(core, waited)
  const forgetLater = (): void => void setTimeout(() => forget(core, waited.drawing), KEPT_FOR).unref()
  waited.drawing.then(forgetLater, forgetLater)
}

function forget(core: GraphCore, drawing: Promise<unknown>): void {
  if (pendingDrawings.get(core)?.drawing === drawing) pendingDrawings.delete(core)
}

/** Returns true if the work finishes within `AHEAD_WAIT`. */
async function isDoneSoon(work: Promise<unknown>): Promise<boolean> {
  const limit = AbortSignal.timeout(AHEAD_WAIT)
  await untilAborted(work, limit).catch(() => {})
  return !limit.aborted
}

export interface PartArguments {
  readonly notes: readonly string[]
  readonly most: number
}

export function partOfPicture(core: GraphCore, { notes, most }: PartArguments, call: Call = {}): Promise<Answer<PartialPicture>> {
  return picture(core, call, async (snapshot, { topology, following }) => {
    const layout = await placeNotes(core, topology, { followed: await following, mayMove: 'once' })
    const requestedNumbers = await numbersOf(core, snapshot, { placed: layout, notes })
    const numbers = chooseNotes(
      layout,
      requestedNumbers.filter((number) => number >= 0),
      most,
    )
    return await drawPart(snapshot, { layout, requested: requestedNumbers, numbers, links: DRAWN.links })
  })
}

interface ChosenNotes {
  readonly layout: PlacedNotes
  /** The indexes of the requested notes, or -1 for a missing note. */
  readonly requested: readonly number[]
  readonly numbers: readonly number[]
  readonly links: number
}

async function drawPart(snapshot: Snapshot, { layout, requested, numbers: chosen, links }: ChosenNotes): Promise<PartialPicture> {
  const { ids, pairs, rows } = layout
  const numbers = new Map(chosen.map((number, at) => [number, at]))
  const { lists, created, modified } = await factsOf(
    snapshot,
    chosen.flatMap((number) => ids[number] ?? []),
  )
  return {
    ...pictureOf(layout, { numbers: chosen, links }, lists),
    count: ids.length,
    link_count: pairs.length / 2,
    degrees: chosen.map((number) => degree(rows, number)),
    incoming: chosen.map((number) => layout.incoming[number] ?? 0),
    outgoing: chosen.map((number) => layout.outgoing[number] ?? 0),
    words: chosen.map((number) => layout.words[number] ?? -1),
    created,
    modified,
    named: requested.map((number) => numbers.get(number) ?? -1),
  }
}

async function numbersOf(
  core: GraphCore,
  snapshot: Snapshot,
  { placed: layout, notes }: { readonly placed: PlacedNotes; readonly notes: readonly string[] },
): Promise<readonly number[]> {
  const existing = await findIds(snapshot, core, notes)
  const numberOf = numbersAmong(layout.ids, existing)
  return existing.map((id) => (id === undefined ? -1 : (numberOf.get(id) ?? -1)))
}

function numbersAmong(ids: readonly NodeId[], requested: readonly (NodeId | undefined)[]): ReadonlyMap<NodeId, number> {
  const requestedSet = new Set(requested)
  const numberById = new Map<NodeId, number>()
  for (const [number, id] of ids.entries()) if (requestedSet.has(id)) numberById.set(id, number)
  return numberById
}

async function chooseForPage(
  core: GraphCore,
  snapshot: Snapshot,
  { layout, shown, drawn }: { readonly layout: PlacedNotes; readonly shown: ShownPart; readonly drawn: PictureLimits },
): Promise<Omit<ChosenNotes, 'layout'>> {
  const { ids, rows, levels, groups } = layout
  if (ids.length <= drawn.notes) return { requested: [], numbers: [...ids.keys()], links: Number.POSITIVE_INFINITY }
  const requestedNumbers = await numbersOf(core, snapshot, { placed: layout, notes: shown.notes })
  const chosenNumbers = new Set(requestedNumbers.filter((number) => number >= 0))
  const choose = (numbers: readonly number[], maxNotes: number): void => {
    for (const number of bestLinked(rows, numbers).slice(0, Math.min(maxNotes, drawn.notes - chosenNumbers.size)))
      chosenNumbers.add(number)
  }
  const near = new Set(
    [...chosenNumbers].flatMap((number) => [...rows.targets.subarray(rows.offsets[number], rows.offsets[number + 1])]),
  )
  choose([...near], drawn.first)
  choose(groups.flatMap(({ key }) => (key < 0 ? [] : [key])).slice(0, drawn.first), drawn.first)
  const room = drawn.notes - drawn.first
  choose(await filteredNotes(snapshot, ids, { ...shown, most: room }), room)
  const members = membersOf(levels[0] ?? new Int32Array(ids.length).fill(-1), groups.length)
  const open = groups.flatMap(({ id }, group) => (shown.groups.includes(id) ? [members[group] ?? []] : []))
  for (const notes of open) choose(notes, room / open.length)
  for (const notes of members) choose(notes, Math.ceil((drawn.first * notes.length) / ids.length))
  return { requested: requestedNumbers, numbers: [...chosenNumbers].sort((a, b) => a - b), links: drawn.links }
}

async function filteredNotes(
  snapshot: Snapshot,
  ids: readonly NodeId[],
  { folder, tag, most }: ShownPart & { readonly most: number },
): Promise<readonly number[]> {
  if (!folder && !tag) return []
  const scope = { ...(folder && { folder }), ...(tag && { tags: { names: [tag], mode: 'all' as const } }) }
  const { items } = await snapshot.select(scope, { offset: 0, limit: most })
  return [
    ...numbersAmong(
      ids,
      items.map(({ id }) => id),
    ).values(),
  ]
}

function membersOf(of: Int32Array, groups: number): readonly (readonly number[])[] {
  const members = Array.from({ length: groups + 1 }, (): number[] => [])
  for (const [note, group] of of.entries()) members[group < 0 ? groups : group]?.push(note)
  return members
}

/** Returns requested notes, then their neighbors, key notes and hubs. */
function chooseNotes({ ids, rows, groups }: PlacedNotes, requested: readonly number[], maxNotes: number): readonly number[] {
  const { offsets, targets } = rows
  const chosen = new Set<number>()
  const choose = (numbers: Iterable<number>): void => {
    for (const number of numbers) {
      if (chosen.size >= maxNotes) return
      if (number >= 0) chosen.add(number)
    }
  }
  choose(requested)
  const near = new Set(requested.flatMap((number) => [...targets.subarray(offsets[number], offsets[number + 1])]))
  // The number of neighbors is limited, because those of a hub could fill the picture.
  choose(bestLinked(rows, [...near]).slice(0, maxNotes / 3))
  choose(groups.slice(0, maxNotes / 4).map(({ key }) => key))
  if (ids.length <= maxNotes) choose(ids.keys())
  else choose(bestLinked(rows, [...ids.keys()]))
  return [...chosen].sort((a, b) => a - b)
}

function bestLinked(rows: Adjacency, numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((a, b) => degree(rows, b) - degree(rows, a) || a - b)
}

interface Drawing {
  readonly topology: Topology
  readonly following: Promise<LatestInsight | undefined>
}

function picture<T>(core: GraphCore, call: Call, draw: (snapshot: Snapshot, drawing: Drawing) => Promise<T>): Promise<Answer<T>> {
  return answer(core, call, async (snapshot) => {
    const topology = await snapshot.topology()
    const isFirst = topology.ids().length > SMALL_VAULT && !(await core.layouts.hasPlaces())
    const following = isFirst ? Promise.resolve(undefined) : latestInsight(core, call)
    // This handler avoids an unhandled rejection before the `await` below.
    following.catch(() => {})
    const value = await draw(snapshot, { topology, following })
    if (isFirst) core.insights.follow({ wait: 0 }).catch(() => {})
    return plain(value)
  })
}

interface PlacedNotes extends Communities {
  readonly generation: number
  readonly ids: readonly NodeId[]
  readonly rows: Adjacency
  /** Number of incoming links per note. */
  readonly incoming: Uint32Array
  readonly outgoing: Uint32Array
  readonly pairs: Uint32Array
  readonly places: Float32Array
  /** The region of each note, or -1. Regions depend only on links. */
  readonly regions: Int32Array
  readonly isCurrent: boolean
  readonly isCrowded: boolean
}

async function placeNotes(
  core: GraphCore,
  topology: Topology,
  { followed: run, mayMove }: PictureArguments & { readonly followed: LatestInsight | undefined },
): Promise<PlacedNotes> {
  const { generation } = topology
  const ids = topology.ids()
  const rows = undirected(topology)
  const communities = await communitiesOf(core, ids, run?.insight)
  const { places, regions, added, isRough } = await core.layouts.layOut({ ids, ...rows, levels: communities.levels }, mayMove)
  const isCurrent = run?.isCurrent === true
  return {
    generation,
    ids,
    rows,
    ...directedDegrees(topology),
    pairs: pairsOf(rows),
    places,
    regions,
    ...communities,
    isCurrent,
    isCrowded: isRough || added > MAX_NEW_SHARE,
  }
}

function directedDegrees(topology: Topology): Pick<PlacedNotes, 'incoming' | 'outgoing'> {
  const incoming = new Uint32Array(topology.offsets.length - 1)
  const outgoing = new Uint32Array(incoming.length)
  eachLink(topology, (from, to) => {
    if (from === to) return
    outgoing[from]!++
    incoming[to]!++
  })
  return { incoming, outgoing }
}

function pictureOf(
  layout: PlacedNotes,
  { numbers, links }: Pick<ChosenNotes, 'numbers' | 'links'>,
  { titles, ...lists }: Facts['lists'],
): VaultPicture {
  const { generation, ids, pairs, places, levels, groups, isCurrent, isCrowded } = layout
  const numberOf = new Int32Array(ids.length).fill(-1)
  for (const [at, number] of numbers.entries()) numberOf[number] = at
  const sizes = new Uint32Array(groups.length)
  for (const group of levels[0] ?? []) if (group >= 0) sizes[group] = (sizes[group] ?? 0) + 1
  return {
    generation,
    ids: numbers.flatMap((number) => ids[number] ?? []),
    titles,
    ...lists,
    communities: numbers.map((number) => levels[0]?.[number] ?? -1),
    groups: groups.map(({ id, label }, at) => ({ id, label, notes: sizes[at] ?? 0 })),
    ...regionsOf(layout, numbers, titles),
    is_grouping: !isCurrent,
    places: base64(Float32Array.from(numbers.flatMap((number) => [places[number * 2] ?? 0, places[number * 2 + 1] ?? 0]))),
    links: base64(pairsAmong(pairs, numberOf, links)),
    is_crowded: isCrowded,
  }
}

function regionsOf(
  { regions, rows }: PlacedNotes,
  chosen: readonly number[],
  titles: readonly string[],
): Pick<VaultPicture, 'region_of' | 'regions'> {
  const sizes = new Map<number, number>()
  for (const region of regions) sizes.set(region, (sizes.get(region) ?? 0) + 1)
  const neighborsByName = new Map<number, { readonly at: number; readonly links: number }>()
  for (const [at, number] of chosen.entries()) {
    const region = regions[number] ?? -1
    const links = degree(rows, number)
    if (region >= 0 && links > (neighborsByName.get(region)?.links ?? -1)) neighborsByName.set(region, { at, links })
  }
  const numbers = new Map([...neighborsByName.keys()].map((region, at) => [region, at]))
  return {
    region_of: chosen.map((number) => numbers.get(regions[number] ?? -1) ?? -1),
    regions: [...neighborsByName].map(([region, { at }]) => ({
      id: `r${region}`,
      label: titles[at] ?? '',
      notes: sizes.get(region) ?? 0,
    })),
  }
}

function pairsAmong(pairs: Uint32Array, numberOf: Int32Array, maxPairs: number): Uint32Array {
  const positions: number[] = []
  for (let at = 0; at < pairs.length; at += 2) {
    const from = numberOf[pairs[at] ?? -1] ?? -1
    const to = numberOf[pairs[at + 1] ?? -1] ?? -1
    if (from >= 0 && to >= 0) positions.push(from, to)
  }
  const count = positions.length / 2
  if (count <= maxPairs) return Uint32Array.from(positions)
  const sampled = new Uint32Array(2 * maxPairs)
  for (let at = 0; at < maxPairs; at++) {
    const pair = Math.floor((at * count) / maxPairs)
    sampled[at * 2] = positions[pair * 2] ?? 0
    sampled[at * 2 + 1] = positions[pair * 2 + 1] ?? 0
  }
  return sampled
}

async function factsOf(snapshot: Snapshot, ids: readonly NodeId[]): Promise<Facts> {
  const facts = new Facts()
  for (let from = 0; from < ids.length; from += BATCH) {
    const nodes = await snapshot.nodes(ids.slice(from, from + BATCH), { links: 0, times: true })
    for (const [at, node] of nodes.entries()) facts.add(node, node?.path ?? ids[from + at] ?? '')
    await new Promise((resolve) => setImmediate(resolve))
  }
  return facts
}

/** Returns the latest insight. Errors are ignored, because other tools report them. */
async function latestInsight(core: GraphCore, { signal }: Call): Promise<LatestInsight | undefined> {
  const run = await core.insights.follow({ wait: COMMUNITIES_WAIT, signal }).catch(() => undefined)
  signal?.throwIfAborted()
  return run
}

interface Communities {
  readonly words: Int32Array
  /** The group of each note on each level, or -1. */
  readonly levels: readonly Int32Array[]
  /** The groups by number. `key` is the most central note, or -1. */
  readonly groups: readonly { readonly id: string; readonly label: string; readonly key: number }[]
}

async function communitiesOf(core: GraphCore, ids: readonly NodeId[], insight: Insight | undefined): Promise<Communities> {
  if (insight === undefined) return { words: new Int32Array(), levels: [], groups: [] }
  const { ids: insightIds, communities } = insight
  const placeOf = new Map(insightIds.map((id, place) => [id, place]))
  const words = Int32Array.from(ids, (id) => insight.words[placeOf.get(id) ?? -1] ?? -1)
  const levels = communities.levels.map(({ of }) =>
    Int32Array.from(ids, (id) => {
      const community = of[placeOf.get(id) ?? -1] ?? NO_COMMUNITY
      return community === NO_COMMUNITY ? -1 : community
    }),
  )
  const labels = await core.insightState.labels()
  const numberOf = new Map(ids.map((id, number) => [id, number]))
  const groups = communities.levels[0].list.map((community) => ({
    id: community.id,
    label: communityLabel(community, labels),
    key: numberOf.get(insightIds[community.key[0] ?? -1] as NodeId) ?? -1,
  }))
  return { words, levels, groups }
}

class Facts {
  readonly #titles: string[] = []
  readonly #folders: number[] = []
  readonly #folderNames = new Map<string, number>()
  readonly #tags: (readonly number[])[] = []
  readonly #tagNames = new Map<string, number>()
  readonly created: number[] = []
  readonly modified: number[] = []

  add(node: Node | undefined, path: string): void {
    this.#titles.push(node?.title ?? '')
    this.#folders.push(numberOf(this.#folderNames, path.slice(0, Math.max(0, path.lastIndexOf('/')))))
    this.#tags.push((node?.tags ?? []).map((tag) => numberOf(this.#tagNames, tag)))
    this.created.push(dayOf(node?.created))
    this.modified.push(dayOf(node?.modified))
  }

  get lists() {
    return {
      titles: this.#titles,
      folders: this.#folders,
      folder_names: [...this.#folderNames.keys()],
      tags: this.#tags,
      tag_names: [...this.#tagNames.keys()],
    }
  }
}

/** Returns the days since 1970, or -1 for invalid dates. */
function dayOf(time: string | undefined): number {
  const day = Math.floor(Date.parse(time ?? '') / DAY_MS)
  return day >= 0 ? day : -1
}

const DAY_MS = 86_400_000

function numberOf(names: Map<string, number>, name: string): number {
  const index = names.get(name)
  if (index !== undefined) return index
  names.set(name, names.size)
  return names.size - 1
}

function pairsOf(rows: Adjacency): Uint32Array {
  const pairs = new Uint32Array(rows.targets.length)
  let end = 0
  eachLink(rows, (from, to) => {
    if (from > to) return
    pairs[end++] = from
    pairs[end++] = to
  })
  return pairs
}
