import type { NodeId } from '../../../src/core/ids.ts'
import type { FileInfo, FileRecord, VaultState } from '../../../src/core/index-writer.ts'
import type { NoteVectors } from '../../../src/core/search-writer.ts'
import { factsOf, type NoteFacts } from '../../../src/store/note-facts.ts'

/** A file as it was put, with the ids that were given. */
export interface MemoryFile {
  readonly record: FileRecord
  readonly info: FileInfo | undefined
  /** Without the vault's name. */
  readonly id: NodeId
  readonly twins: readonly number[]
  /** Ids of the missing targets that it links to, by their names. */
  readonly missing: ReadonlyMap<string, NodeId>
  /** When it changed last. */
  readonly generation: number
}

export function factsOfFile({ info, record }: MemoryFile): NoteFacts {
  const { properties = {}, tasks = [] } = info ?? {}
  return factsOf({ properties, tasks, stat: record.stat })
}

/** What was committed; never changed in place. */
export interface Generation {
  readonly number: number
  readonly state: VaultState
  readonly files: ReadonlyMap<number, MemoryFile>
  /** When files went, by their keys. */
  readonly gone: ReadonlyMap<number, number>
}

export const NOTHING: Generation = {
  number: 0,
  state: { outside: [], nextKey: 0, complete: false },
  files: new Map(),
  gone: new Map(),
}

export interface MemoryToken {
  readonly form: string
  readonly stem: string
  readonly position: number
}

export interface MemoryDocument {
  readonly key: number
  readonly path: string
  readonly version: number
  readonly title: readonly MemoryToken[]
  readonly body: readonly MemoryToken[]
  /** In words. */
  readonly titleLength: number
  readonly bodyLength: number
}

/** What was put for search. */
export interface SearchData {
  readonly documents: Map<number, MemoryDocument>
  /** By embedder, the one used last first. */
  readonly vectors: Map<string, Map<number, NoteVectors>>
}

/** Nothing answers at once. */
export async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1))
}
