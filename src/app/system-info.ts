import { basename } from 'node:path'
import type { IndexStatus } from '../core/indexing.ts'
import type { StoreCondition } from '../core/store.ts'
import type { Call } from './answer/answer-when-ready.ts'
import type { GraphCore } from './graph-core.ts'

export interface VaultFacts {
  readonly name: string
  readonly path?: string
  /** The counts are omitted while the index is being rebuilt. */
  readonly counts?: { readonly files: number; readonly notes: number; readonly attachments: number; readonly tags: number }
  readonly index: Pick<IndexStatus, 'phase' | 'done' | 'total' | 'cache' | 'watch' | 'search' | 'feed'> &
    Partial<Pick<IndexStatus, 'mode' | 'file' | 'message'>> & { readonly generation?: number }
}

/** Returns at once, even if the vault is missing. */
export async function vaultFacts(core: GraphCore, verbose: boolean, { signal }: Call = {}): Promise<VaultFacts> {
  core.indexing.begin()
  signal?.throwIfAborted()
  const indexCounts = await countsOf(core)
  // The status is read last, because a remote store learns about the writing process only from a query.
  const { file, message, hint: _, ...index } = core.indexing.status()
  const paths = { ...(file === undefined ? {} : { file }), ...(message === undefined ? {} : { message }) }
  return {
    name: core.name ?? basename(core.root),
    ...(verbose ? { path: core.root } : {}),
    ...(indexCounts === undefined ? {} : { counts: indexCounts.counts }),
    index: { ...index, ...(indexCounts === undefined ? {} : { generation: indexCounts.generation }), ...(verbose ? paths : {}) },
  }
}

export interface VaultHealth {
  readonly name: string
  readonly store: StoreCondition
  readonly generation?: number
  /** Seconds since the last change. `silent` is the number of seconds since the writing process was last active. */
  readonly age?: number
  readonly silent?: number
}

export async function vaultHealth({ name, root, store, indexing }: GraphCore, signal: AbortSignal): Promise<VaultHealth> {
  const vaultFacts = { name: name ?? basename(root) }
  try {
    const generation = await store.read(async (snapshot) => snapshot.generation, signal)
    return { ...vaultFacts, store: store.condition(), generation, ...indexing.status().feed }
  } catch {
    return { ...vaultFacts, store: 'unreachable' }
  }
}

async function countsOf({ store }: GraphCore) {
  try {
    const noItems = { offset: 0, limit: 0 }
    const [files, generation, notes, attachments, tags] = await store.read(async (snapshot) => [
      snapshot.files,
      snapshot.generation,
      await snapshot.select({}, noItems),
      await snapshot.select({ kinds: ['attachment'] }, noItems),
      await snapshot.tags(),
    ])
    return { generation, counts: { files, notes: notes.total, attachments: attachments.total, tags: tags.length } }
  } catch {
    return undefined
  }
}
