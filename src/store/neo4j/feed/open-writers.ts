import type { IndexWriter } from '../../../core/index-writer.ts'
import type { SearchWriter } from '../../../core/search-writer.ts'
import { Connection } from '../server/connection.ts'
import type { Neo4jPlace } from '../server/place.ts'
import { openNeo4jIndexWriter } from './index-writer.ts'
import { openNeo4jSearchWriter } from './search-writer.ts'

/** Opens the writer for the graph. Each writer has its own connections, because writers are closed one by one. */
export function openIndex(place: Neo4jPlace): IndexWriter {
  return openNeo4jIndexWriter(new Connection(place))
}

export function openSearch(place: Neo4jPlace): SearchWriter {
  return openNeo4jSearchWriter(new Connection(place))
}
