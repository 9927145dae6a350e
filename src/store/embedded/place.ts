import type { IndexStatus } from '../../core/indexing.ts'
import type { Location } from './location.ts'

/** Where the embedded engine keeps what it knows of a vault. */
export interface EmbeddedPlace {
  readonly type: 'embedded'
  /** Path of the index on disk. */
  readonly file: string
  /** Path of the search index on disk. */
  readonly searchFile: string
  /** Path of what is kept for looking at the vault as a whole. */
  readonly insightFile: string
  /** Path of what is kept for drawing the map. */
  readonly layoutFile: string
  /** Name of the indexes in memory, unique in the process. */
  readonly memory: string
}

export function indexLocation({ file, memory }: EmbeddedPlace, cache: IndexStatus['cache']): Location {
  return cache === 'disk' ? { kind: 'file', path: file } : { kind: 'memory', name: memory }
}

export function searchLocation({ searchFile, memory }: EmbeddedPlace, cache: IndexStatus['cache']): Location {
  return cache === 'disk' ? { kind: 'file', path: searchFile } : { kind: 'memory', name: `${memory}-search` }
}
