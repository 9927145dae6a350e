import { NO_COMMUNITY } from '../core/communities.ts'
import type { NodeId } from '../core/ids.ts'
import type { Followed, Insight } from '../core/insight.ts'
import type { VaultPicture } from '../core/picture.ts'
import type { Topology } from '../core/store.ts'
import { answerInSteps, type Call } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'

/** Nodes that are asked for at once: what they say is made of rows, a few milliseconds at a time. */
const NODES = 400
/** How long a picture waits for communities, ms; a small vault has them by then. */
const COMMUNITIES_WAIT = 1_500
/** A vault with so many notes has communities at once. */
const SMALL = 1_500
/** Below this share of new notes the places are good enough. */
const MUCH = 0.2

export interface PictureArguments {
  /** Everything is laid out again. */
  readonly again: boolean
}

/** All notes of the vault with their places, which stay where they were. */
export function vaultPicture(core: GraphCore, { again }: PictureArguments, call: Call = {}): Promise<Answer<VaultPicture>> {
  return answerInSteps(core, call, async (read) => {
    return read(async (snapshot) => {
      const topology = await snapshot.topology()
      const ids = topology.ids()
      // Communities are found where notes are laid out: of a large vault the first map is not made to wait for them.
      const isFirst = ids.length > SMALL && !core.layouts.hasPlaces()
      const following = isFirst ? undefined : latestInsight(core, call)
      // It is waited for below, unless something fails before.
      following?.catch(() => {})
      const facts = new Facts()
      for (let from = 0; from < ids.length; from += NODES) {
        const nodes = await snapshot.nodes(ids.slice(from, from + NODES), { links: 0 })
        for (const [at, node] of nodes.entries())
          facts.add(node?.title ?? '', node?.path ?? ids[from + at] ?? '', node?.tags ?? [])
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { pairs, ...rows } = undirected(topology)
      const followed = await following
      const { levels, groups } = communitiesOf(core, ids, followed?.insight)
      const { places, added } = await core.layouts.layOut({ ids, ...rows, levels }, again)
      if (isFirst) core.insights.follow({ wait: 0 }).catch(() => {})
      const { titles, ...lists } = facts.lists()
      const value: VaultPicture = {
        generation: topology.generation,
        ids,
        titles,
        ...lists,
        communities: levels[0] === undefined ? ids.map(() => -1) : [...levels[0]],
        groups: groups.map(({ id, label, key }) => ({ id, label: label ?? titles[key] ?? id })),
        is_grouping: followed?.isCurrent !== true,
        places: base64(places),
        links: base64(pairs),
        is_crowded: added > MUCH,
      }
      return { value, warnings: [] }
    })
  })
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
