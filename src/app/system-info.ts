import { basename } from 'node:path'
import type { IndexStatus } from '../core/indexing.ts'
import type { StoreCondition } from '../core/store.ts'
import type { Call } from './answer/answer-when-ready.ts'
import type { GraphCore } from './graph-core.ts'

export interface VaultFacts {
  readonly name: string
  /** Only where paths are asked for. */
  readonly path?: string
  /** Absent while the index is built again. */
  readonly counts?: { readonly files: number; readonly notes: number; readonly attachments: number; readonly tags: number }
  readonly index: Pick<IndexStatus, 'phase' | 'done' | 'total' | 'cache' | 'watch' | 'search' | 'feed'> &
    Partial<Pick<IndexStatus, 'mode' | 'file' | 'message'>> & { readonly generation?: number }
}

/** What a vault holds and how its index is. Answers at once, also where the vault is missing; `verbose` adds paths. */
export async function vaultFacts(core: GraphCore, verbose: boolean, { signal }: Call = {}): Promise<VaultFacts> {
  core.indexing.begin()
  signal?.throwIfAborted()
  const counted = await countsOf(core)
  // Afterwards: a store on a server knows nothing of its feeder before it was asked for something.
  const { file, message, hint: _, ...index } = core.indexing.status()
  const paths = { ...(file === undefined ? {} : { file }), ...(message === undefined ? {} : { message }) }
  return {
    name: core.name ?? basename(core.root),
    ...(verbose ? { path: core.root } : {}),
    ...(counted === undefined ? {} : { counts: counted.counts }),
    index: { ...index, ...(counted === undefined ? {} : { generation: counted.generation }), ...(verbose ? paths : {}) },
  }
}

/** How a vault is, for those who watch over servers. */
export interface VaultHealth {
  readonly name: string
  /** True if answers can be had now. */
  readonly store: StoreCondition
  readonly generation?: number
  /** How many seconds old the last change is, where a feeder elsewhere makes them, and for how long it was not heard of. */
  readonly age?: number
  readonly silent?: number
}

/** Asks the store itself, for no longer than the signal allows. */
export async function vaultHealth({ name, root, store, indexing }: GraphCore, signal: AbortSignal): Promise<VaultHealth> {
  const known = { name: name ?? basename(root) }
  try {
    const generation = await store.read(async (snapshot) => snapshot.generation, signal)
    return { ...known, store: store.condition(), generation, ...indexing.status().feed }
  } catch {
    return { ...known, store: 'unreachable' }
  }
}

async function countsOf({ store }: GraphCore) {
  try {
    const nothing = { offset: 0, limit: 0 }
    const [files, generation, notes, attachments, tags] = await store.read(async (snapshot) => [
      snapshot.files,
      snapshot.generation,
      await snapshot.select({}, nothing),
      await snapshot.select({ kinds: ['attachment'] }, nothing),
      await snapshot.tags(),
    ])
    return { generation, counts: { files, notes: notes.total, attachments: attachments.total, tags: tags.length } }
  } catch {
    // The index was damaged and is being built again: that is what `phase` says.
    return undefined
  }
}
