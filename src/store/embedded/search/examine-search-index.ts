import { unpackHeader } from '../../../search/words/index/header.ts'
import { examineDatabase, type IndexCondition } from '../examine.ts'
import type { Location } from '../location.ts'
import type { Database } from '../sqlite.ts'
import { unpackCoarse } from './coarse-part.ts'
import { headerPlace, pagePlace, SEARCH, unpackVectors, unsealBytes } from './search-rows.ts'

/** Looks at a search index without changing it: every row is read once. */
export function examineSearchIndex(location: Location): IndexCondition {
  return examineDatabase(location, SEARCH, readEverything)
}

/** @throws what SQLite says, DamagedIndex, DamagedWords */
function readEverything(database: Database): void {
  for (const row of database.prepare('SELECT id, rank, header FROM segment').iterate()) {
    const { id, rank, header } = row as { id: number; rank: number; header: unknown }
    unpackHeader(unsealBytes(headerPlace(id, rank), header))
  }
  for (const row of database.prepare('SELECT segment, first, data FROM page').iterate()) {
    const { segment, first, data } = row as { segment: number; first: Uint8Array; data: unknown }
    unsealBytes(pagePlace(segment, first), data)
  }
  for (const row of database.prepare('SELECT embedder, key, data FROM vector').iterate()) {
    const { embedder, key, data } = row as { embedder: number; key: number; data: unknown }
    unpackVectors(embedder, key, data)
  }
  for (const row of database.prepare('SELECT embedder, revision, data FROM coarse').iterate()) {
    const { data, ...place } = row as { embedder: number; revision: number; data: unknown }
    unpackCoarse(place, data)
  }
}
