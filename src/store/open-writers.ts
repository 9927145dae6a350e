import type { IndexWriter } from '../core/index-writer.ts'
import type { IndexStatus } from '../core/indexing.ts'
import type { SearchWriter } from '../core/search-writer.ts'
import { once } from '../core/waiting/once.ts'
import { type EmbeddedPlace, locationOf } from './embedded/location.ts'
import { openSearchWriter } from './embedded/search/search-writer.ts'
import { isDamage, isUnwritable } from './embedded/sqlite.ts'
import { openIndexWriter } from './embedded/writer.ts'
import type { Neo4jPlace } from './neo4j/server/place.ts'

/** Which engine has a vault, and what it takes to find it there: a value, because the two sides are opened in two threads. */
export type EnginePlace = EmbeddedPlace | Neo4jPlace

/** The writing sides of an engine, and what its errors mean. */
export interface EngineWriters {
  openIndex(cache: IndexStatus['cache']): IndexWriter
  openSearch(cache: IndexStatus['cache']): SearchWriter
  /** True if it stores the texts of notes. */
  readonly keepsTexts: boolean
  isDamage(error: unknown): boolean
  isUnwritable(error: unknown): boolean
}

/** Methods of a writer that return their results in parts. */
const PARTS = ['files', 'names', 'mentions', 'tags'] as const

/** Another engine is another `type` here, and in `compose/engine.ts`, which opens its reading side. */
export function openWriters(place: EnginePlace): EngineWriters {
  switch (place.type) {
    case 'embedded':
      return {
        openIndex: (cache) => openIndexWriter(locationOf(place, 'index', cache)),
        openSearch: (cache) => openSearchWriter(locationOf(place, 'search', cache)),
        keepsTexts: false,
        isDamage,
        isUnwritable,
      }
    case 'neo4j':
      return {
        openIndex: () => lazily(async () => (await import('./neo4j/feed/open-writers.ts')).openIndex(place), PARTS),
        openSearch: () => lazily(async () => (await import('./neo4j/feed/open-writers.ts')).openSearch(place)),
        keepsTexts: true,
        isDamage: () => false,
        isUnwritable: () => false,
      }
  }
}

/**
 * An object whose methods are all asynchronous, created at the first call; `iterating` names those that return parts. A
 * failed creation is retried.
 */
function lazily<T extends object>(make: () => Promise<T>, iterating: readonly (keyof T)[] = []): T {
  let made = once(make)
  const get = async (): Promise<T> => {
    try {
      return await made()
    } catch (error) {
      made = once(make)
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
      // `await` asks whether it is a promise.
      if (name === 'then') return undefined
      if (!iterated.has(name)) return async (...given: unknown[]) => (await method(name))(...given)
      return async function* (...given: unknown[]) {
        yield* (await method(name))(...given) as AsyncIterable<unknown>
      }
    },
  })
}
