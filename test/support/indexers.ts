import { conflictOriginal } from '../../src/core/conflict-copies.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import type { GraphLogWriter } from '../../src/core/insight/graph-changes.ts'
import type { Vault } from '../../src/core/vault.ts'
import { Indexer } from '../../src/indexing/indexer.ts'
import { fileKind } from '../../src/vault/file-system.ts'

/** An indexer that may write at once, for a vault in Obsidian mode. */
export function openIndexer(vault: Vault, writer: IndexWriter, log?: GraphLogWriter): Indexer {
  return new Indexer(vault, writer, {
    profile: 'lenient',
    comments: true,
    mode: 'obsidian',
    kindOf: fileKind,
    isConflictCopy: (path) => conflictOriginal(path) !== undefined,
    permission: Promise.resolve(),
    onProgress: () => {},
    ...(log === undefined ? undefined : { log }),
  })
}

/** Collects all parts. */
export async function allOf<T>(parts: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const part of parts) all.push(...part)
  return all
}
