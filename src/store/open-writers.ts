import type { IndexWriter } from '../core/index-writer.ts'
import type { IndexStatus } from '../core/indexing.ts'
import type { SearchWriter } from '../core/search-writer.ts'
import { once } from '../core/waiting.ts'
import { type EmbeddedPlace, hasRoom, locationOf } from './embedded/location.ts'
import { openSearchWriter } from './embedded/search/search-writer.ts'
import { isDamage, isUnwritable } from './embedded/sqlite.ts'
import { openIndexWriter } from './embedded/writer.ts'
import type { Neo4jPlace } from './neo4j/server/place.ts'

/** A plain value, because threads open the read and the write interface separately. */
export type EnginePlace = EmbeddedPlace | Neo4jPlace

export interface EngineWriters {
  openIndex(cache: IndexStatus['cache']): IndexWriter
  openSearch(cache: IndexStatus['cache']): SearchWriter
  readonly keepsTexts: boolean
  isDamage(error: unknown): boolean
  isUnwritable(error: unknown): boolean
  hasRoom(): boolean
}

const PARTS = ['files', 'names', 'mentions', 'tags'] as const

/**
 * Opens the write interfaces. To add an engine, add its `type` here and in `compose/engine.ts`, which opens the read interface.
 */
export function openWriters(place: EnginePlace): EngineWriters {
  switch (place.type) {
    case 'embedded':
      return {
        openIndex: (cache) => openIndexWriter(locationOf(place, 'index', cache)),
        openSearch: (cache) => openSearchWriter(locationOf(place, 'search', cache)),
        keepsTexts: false,
        isDamage,
        isUnwritable,
        hasRoom: () => hasRoom(place),
      }
    case 'neo4j':
      return {
        openIndex: () => lazily(async () => (await import('./neo4j/feed/index-writer.ts')).connectIndexWriter(place), PARTS),
        openSearch: () => lazily(async () => (await import('./neo4j/feed/search-writer.ts')).connectSearchWriter(place)),
        keepsTexts: true,
        isDamage: () => false,
        isUnwritable: () => false,
        hasRoom: () => false,
      }
  }
}

/**
 * Returns an object that is created on the first call of a method. After a failure, the next call tries again. `iterating` lists
 * the methods that return async iterables.
 */
function lazily<T extends object>(make: () => Promise<T>, iterating: readonly (keyof T)[] = []): T {
  let opened = once(make)
  const get = async (): Promise<T> => {
    try {
      return await opened()
    } catch (error) {
      opened = once(make)
      throw error
    }
  }
  type Method = (...given: unknown[]) => unknown
  const method = async (name: string | symbol): Promise<Method> => {
    const target = await get()
    return (Reflect.get(target, name) as Method).bind(target)
  }
  const iterated = new Set<string | symbol | number>(iterating)
  return new Proxy({} as T, {
    get: (_, name) => {
      // The proxy must not have a method `then`, because `await` would call it.
      if (name === 'then') return undefined
      if (!iterated.has(name)) return async (...args: unknown[]) => (await method(name))(...args)
      return async function* (...args: unknown[]) {
        yield* (await method(name))(...args) as AsyncIterable<unknown>
      }
    },
  })
}
