import type { NodeId } from '../../core/ids.ts'
import { NO_COMMUNITY } from '../../core/insight/communities.ts'
import type { Followed, Insight } from '../../core/insight/insight.ts'
import type { MayMove } from '../../core/insight/layouts.ts'
import type { PartialPicture, VaultPicture } from '../../core/insight/picture.ts'
import type { Snapshot, Topology } from '../../core/store.ts'
import { answerInSteps, type Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findIds } from '../names/known-node.ts'

/** Nodes that are asked for at once: what they say is made of rows, a few milliseconds at a time. */
const NODES = 400
/** How long a picture waits for communities, ms; a small vault has them by then. */
const COMMUNITIES_WAIT = 1_500
/** A vault with so many notes has communities at once. */
const SMALL = 1_500
/** Below this share of new notes the places are good enough. */
const MUCH = 0.2

export interface PictureArguments {
  readonly mayMove: MayMove
}

/** All notes of the vault with their places, which stay where they were. */
export function vaultPicture(core: GraphCore, { mayMove }: PictureArguments, call: Call = {}): Promise<Answer<VaultPicture>> {
  return picture(core, call, async (snapshot, { topology, following }) => {
    const placing = following.then((followed) => placeNotes(core, topology, { followed, mayMove }))
    // It is waited for below, unless something fails before.
    placing.catch(() => {})
    // While communities are found and notes are placed.
    const facts = await factsOf(snapshot, topology.ids())
    const placed = await placing
    return pictureOf(placed, [...placed.ids.keys()], facts)
  })
}

export interface PartArguments {
  /** The ids of notes that must be on it. */
  readonly notes: readonly string[]
  /** How many notes are on it at the most. */
  readonly most: number
}

/** The named notes with what is linked with them, and the best linked of all others, where they lie in the whole. */
export function partOfPicture(core: GraphCore, { notes, most }: PartArguments, call: Call = {}): Promise<Answer<PartialPicture>> {
  return picture(core, call, async (snapshot, { topology, following }) => {
    const placed = await placeNotes(core, topology, { followed: await following, mayMove: 'once' })
    const numberOf = new Map(placed.ids.map((id, number) => [id, number]))
    const known = await findIds(snapshot, core, notes)
    const named = known.map((id) => (id === undefined ? -1 : (numberOf.get(id) ?? -1)))
    const chosen = chooseNotes(
      placed,
      named.filter((number) => number >= 0),
      most,
    )
    const numbers = new Map(chosen.map((number, at) => [number, at]))
    const facts = await factsOf(
      snapshot,
      chosen.flatMap((number) => placed.ids[number] ?? []),
    )
    return {
      ...pictureOf(placed, chosen, facts),
      count: placed.ids.length,
      named: named.map((number) => numbers.get(number) ?? -1),
    }
  })
}

/** Numbers of notes in order: those that are named, the best linked that are linked with them, those that name communities, then the best linked. */
function chooseNotes({ ids, rows, groups }: Placed, named: readonly number[], most: number): readonly number[] {
  const { offsets, targets } = rows
  const linksOf = (number: number): number => (offsets[number + 1] ?? 0) - (offsets[number] ?? 0)
  const byLinks = (numbers: Iterable<number>): readonly number[] => [...numbers].sort((a, b) => linksOf(b) - linksOf(a) || a - b)
  const chosen = new Set<number>()
  const choose = (numbers: Iterable<number>): void => {
    for (const number of numbers) {
      if (chosen.size >= most) return
      if (number >= 0) chosen.add(number)
    }
  }
  choose(named)
  const near = new Set(named.flatMap((number) => [...targets.subarray(offsets[number], offsets[number + 1])]))
  // Of hubs so many are linked with nothing else that they would leave no room for what is around.
  choose(byLinks(near).slice(0, most / 3))
  choose(groups.slice(0, most / 4).map(({ key }) => key))
  if (ids.length <= most) choose(ids.keys())
  else choose(byLinks(ids.keys()))
  return [...chosen].sort((a, b) => a - b)
}

interface Drawing {
  readonly topology: Topology
  /** Communities, where they are there in time. */
  readonly following: Promise<Followed | undefined>
}

function picture<T>(core: GraphCore, call: Call, draw: (snapshot: Snapshot, drawing: Drawing) => Promise<T>): Promise<Answer<T>> {
  return answerInSteps(core, call, async (read) => {
    return read(async (snapshot) => {
      const topology = await snapshot.topology()
      // Communities are found where notes are laid out: of a large vault the first map is not made to wait for them.
      const isFirst = topology.ids().length > SMALL && !core.layouts.hasPlaces()
      const following = isFirst ? Promise.resolve(undefined) : latestInsight(core, call)
      // It is waited for while the picture is drawn, unless something fails before.
      following.catch(() => {})
      const value = await draw(snapshot, { topology, following })
      if (isFirst) core.insights.follow({ wait: 0 }).catch(() => {})
      return { value, warnings: [] }
    })
  })
}

/** All notes of a vault by number: where they lie, and what they belong to. */
interface Placed extends Communities {
  readonly generation: number
  readonly ids: readonly NodeId[]
  readonly rows: Pick<Topology, 'offsets' | 'targets'>
  /** Two numbers a link. */
  readonly pairs: Uint32Array
  readonly places: Float32Array
  readonly isCurrent: boolean
  readonly isCrowded: boolean
}

async function placeNotes(
  core: GraphCore,
  topology: Topology,
  { followed, mayMove }: PictureArguments & { readonly followed: Followed | undefined },
): Promise<Placed> {
  const { generation } = topology
  const ids = topology.ids()
  const { pairs, ...rows } = undirected(topology)
  const communities = communitiesOf(core, ids, followed?.insight)
  const { places, added, isRough } = await core.layouts.layOut({ ids, ...rows, levels: communities.levels }, mayMove)
  const isCurrent = followed?.isCurrent === true
  return { generation, ids, rows, pairs, places, ...communities, isCurrent, isCrowded: isRough || added > MUCH }
}

/** The picture of some notes, in ascending order of their numbers, with what these say. */
function pictureOf(placed: Placed, chosen: readonly number[], { titles, ...lists }: ReturnType<Facts['lists']>): VaultPicture {
  const { generation, ids, pairs, places, levels, groups, isCurrent, isCrowded } = placed
  const numberOf = new Int32Array(ids.length).fill(-1)
  for (const [at, number] of chosen.entries()) numberOf[number] = at
  return {
    generation,
    ids: chosen.flatMap((number) => ids[number] ?? []),
    titles,
    ...lists,
    communities: chosen.map((number) => levels[0]?.[number] ?? -1),
    groups: groups.map(({ id, label, key }) => ({ id, label: label ?? titles[numberOf[key] ?? -1] ?? id })),
    is_grouping: !isCurrent,
    places: base64(Float32Array.from(chosen.flatMap((number) => [places[number * 2] ?? 0, places[number * 2 + 1] ?? 0]))),
    links: base64(Uint32Array.from(pairsAmong(pairs, numberOf))),
    is_crowded: isCrowded,
  }
}

/** The links whose ends both have a number. */
function* pairsAmong(pairs: Uint32Array, numberOf: Int32Array): Generator<number> {
  for (let at = 0; at < pairs.length; at += 2) {
    const from = numberOf[pairs[at] ?? -1] ?? -1
    const to = numberOf[pairs[at + 1] ?? -1] ?? -1
    if (from < 0 || to < 0) continue
    yield from
    yield to
  }
}

async function factsOf(snapshot: Snapshot, ids: readonly NodeId[]): Promise<ReturnType<Facts['lists']>> {
  const facts = new Facts()
  for (let from = 0; from < ids.length; from += NODES) {
    const nodes = await snapshot.nodes(ids.slice(from, from + NODES), { links: 0 })
    for (const [at, node] of nodes.entries()) facts.add(node?.title ?? '', node?.path ?? ids[from + at] ?? '', node?.tags ?? [])
    await new Promise((resolve) => setImmediate(resolve))
  }
  return facts.lists()
}

/** A map without communities is better than none: whatever keeps them from being found is told where they are asked for. */
async function latestInsight(core: GraphCore, { signal }: Call): Promise<Followed | undefined> {
  const followed = await core.insights.follow({ wait: COMMUNITIES_WAIT, signal }).catch(() => undefined)
  signal?.throwIfAborted()
  return followed
}

interface Communities {
  /** Of each level a number a note, -1 for none: what shall lie together. */
  readonly levels: readonly Int32Array[]
  /** `label`: what someone called it; `key`: the number of the note that else names it. */
  readonly groups: readonly { readonly id: string; readonly label: string | undefined; readonly key: number }[]
}

function communitiesOf(core: GraphCore, ids: readonly NodeId[], insight: Insight | undefined): Communities {
  if (insight === undefined) return { levels: [], groups: [] }
  const { ids: known, communities } = insight
  const placeOf = new Map(known.map((id, place) => [id, place]))
  const levels = communities.levels.map(({ of }) =>
    Int32Array.from(ids, (id) => {
      const community = of[placeOf.get(id) ?? -1] ?? NO_COMMUNITY
      return community === NO_COMMUNITY ? -1 : community
    }),
  )
  const labels = core.insightState.labels()
  const numberOf = new Map(ids.map((id, number) => [id, number]))
  const groups = communities.levels[0].list.map(({ id, key: [first] }) => {
    const named = first === undefined ? undefined : known[first]
    return { id, label: labels.get(id), key: (named && numberOf.get(named)) ?? -1 }
  })
  return { levels, groups }
}

/** What notes say, each text once. */
class Facts {
  readonly #titles: string[] = []
  readonly #folders: number[] = []
  readonly #folderNames = new Map<string, number>()
  readonly #tags: (readonly number[])[] = []
  readonly #tagNames = new Map<string, number>()

  add(title: string, path: string, tags: readonly string[]): void {
    this.#titles.push(title)
    this.#folders.push(numberOf(this.#folderNames, path.slice(0, Math.max(0, path.lastIndexOf('/')))))
    this.#tags.push(tags.map((tag) => numberOf(this.#tagNames, tag)))
  }

  lists() {
    return {
      titles: this.#titles,
      folders: this.#folders,
      folder_names: [...this.#folderNames.keys()],
      tags: this.#tags,
      tag_names: [...this.#tagNames.keys()],
    }
  }
}

function numberOf(names: Map<string, number>, name: string): number {
  const known = names.get(name)
  if (known !== undefined) return known
  names.set(name, names.size)
  return names.size - 1
}

/** Links without their direction: each pair once, and in the rows of both ends. */
function undirected({ offsets, targets }: Pick<Topology, 'offsets' | 'targets'>) {
  const count = offsets.length - 1
  const seen = new Set<number>()
  const pairs: number[] = []
  const degrees = new Uint32Array(count)
  for (let from = 0; from < count; from++) {
    for (let at = offsets[from] ?? 0; at < (offsets[from + 1] ?? 0); at++) {
      const to = targets[at] ?? 0
      const key = Math.min(from, to) * count + Math.max(from, to)
      if (from === to || seen.has(key)) continue
      seen.add(key)
      pairs.push(from, to)
      degrees[from] = (degrees[from] ?? 0) + 1
      degrees[to] = (degrees[to] ?? 0) + 1
    }
  }
  const starts = new Uint32Array(count + 1)
  for (let note = 0; note < count; note++) starts[note + 1] = (starts[note] ?? 0) + (degrees[note] ?? 0)
  const next = starts.slice()
  const rows = new Uint32Array(pairs.length)
  for (let at = 0; at < pairs.length; at += 2) {
    const [a = 0, b = 0] = pairs.slice(at, at + 2)
    rows[next[a] ?? 0] = b
    next[a] = (next[a] ?? 0) + 1
    rows[next[b] ?? 0] = a
    next[b] = (next[b] ?? 0) + 1
  }
  return { offsets: starts, targets: rows, pairs: Uint32Array.from(pairs) }
}

function base64({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
