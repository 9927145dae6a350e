import { shortHash } from './note-properties.ts'

/** The labels and index names of a vault's vectors of one embedder: an index of the database holds vectors of one dimension. */
export function vectorNames(vault: string, embedder: string) {
  const hash = shortHash(JSON.stringify([vault, embedder]))
  return {
    chunkLabel: `RouxChunk_${hash}`,
    nameLabel: `RouxName_${hash}`,
    chunkIndex: `roux_chunk_${hash}`,
    nameIndex: `roux_name_${hash}`,
  }
}
