import type { NodeId } from '../core/ids.ts'
import type { PictureGroup, VaultPicture } from '../core/picture.ts'
import type { Topology } from '../core/store.ts'
import { answer, type Call } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'

/** Nodes that are asked for at once: what they say is made of rows, a few milliseconds at a time. */
const NODES = 400
/** Below this share of new notes the places are good enough. */
const MUCH = 0.2

export interface PictureArguments {
  /** Everything is laid out again. */
  readonly again: boolean
}

/** All notes of the vault with their places, which stay where they were. */
export function vaultPicture(core: GraphCore, { again }: PictureArguments, call: Call = {}): Promise<Answer<VaultPicture>> {
  return answer(core, call, async (snapshot) => {
    const topology = await snapshot.topology()
    const ids = topology.ids()
    const facts = new Facts()
    for (let from = 0; from < ids.length; from += NODES) {
      const nodes = await snapshot.nodes(ids.slice(from, from + NODES), { links: 0 })
      for (const [at, node] of nodes.entries()) facts.add(node?.title ?? '', node?.path ?? ids[from + at] ?? '', node?.tags ?? [])
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { pairs, ...rows } = undirected(topology)
    const { levels, communities, groups } = await communitiesOf(core, ids, call)
    const { places, added } = await core.layouts.layOut({ ids, ...rows, levels }, again)
    const value: VaultPicture = {
      generation: topology.generation,
      ids,
      ...facts.lists(),
      communities,
      groups,
      places: base64(places),
      links: base64(pairs),
      is_crowded: added > MUCH,
    }
    return { value, warnings: [] }
  })
}

interface Grouping {
  readonly levels: readonly Int32Array[]
  readonly communities: readonly number[]
  readonly groups: readonly PictureGroup[]
}

async function communitiesOf(_core: GraphCore, ids: readonly NodeId[], _call: Call): Promise<Grouping> {
  return { levels: [], communities: ids.map(() => -1), groups: [] }
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
