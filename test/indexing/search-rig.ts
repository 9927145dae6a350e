import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import type { SearchWriter } from '../../src/core/search-writer.ts'
import type { Store } from '../../src/core/store.ts'
import type { SearchServiceParts } from '../../src/indexing/search-service.ts'
import { IndexingService } from '../../src/indexing/service.ts'
import type { Location } from '../../src/store/embedded/location.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../src/store/embedded/open-store.ts'
import { openSearchWriter } from '../../src/store/embedded/search/search-writer.ts'
import { isDamage, isUnwritable } from '../../src/store/embedded/sqlite.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { fileKind } from '../../src/vault/file-system.ts'
import { ask } from '../support/ask.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { PATIENCE } from '../support/patience.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A vault that records every read. */
export class CountingVault extends MemoryVault {
  readonly reads: string[] = []

  override read(path: string): Uint8Array | undefined {
    this.reads.push(path)
    return super.read(path)
  }
}

export interface SearchServer {
  readonly service: IndexingService
  readonly store: EmbeddedStore
  readonly errors: unknown[]
  close(): Promise<void>
}

export interface ServeOptions {
  readonly embedder?: () => Promise<Embedder>
  readonly isEager?: boolean
  readonly isEmbedderQuick?: boolean
  readonly openWriter?: (location: Location) => SearchWriter
  readonly openIndex?: (location: Location) => IndexWriter
}

let opened = 0

/** A service that maintains search, and its reader, over the files of one folder, as in a server. */
export function serveSearch(file: string, vault: MemoryVault, options: ServeOptions = {}): SearchServer {
  const memory = `search-service-${process.pid}-${++opened}`
  const searchFile = join(dirname(file), 'search.db')
  const errors: unknown[] = []
  const searchAt = (cache: 'disk' | 'memory'): Location =>
    cache === 'disk' ? { kind: 'file', path: searchFile } : { kind: 'memory', name: `${memory}-search` }
  const graphAt = (cache: 'disk' | 'memory'): Location =>
    cache === 'disk' ? { kind: 'file', path: file } : { kind: 'memory', name: memory }
  const search: SearchServiceParts = {
    openWriter: (cache) => (options.openWriter ?? openSearchWriter)(searchAt(cache)),
    ...(options.embedder === undefined ? undefined : { openEmbedder: options.embedder }),
    isEager: options.isEager ?? true,
    isEmbedderQuick: options.isEmbedderQuick ?? false,
    onReplaced: (cache) => store.reopen('search', searchAt(cache)),
  }
  const service = new IndexingService({
    openVault: () => vault,
    openWriter: (cache) => (options.openIndex ?? openIndexWriter)(graphAt(cache)),
    watchKind: 'events',
    file,
    isDamage,
    isUnwritable,
    indexer: { profile: 'lenient', comments: true, mode: 'obsidian', kindOf: fileKind, isConflictCopy: () => false },
    search,
    onReplaced: (cache) => store.reopen('index', graphAt(cache)),
    onCommitted: () => store.refresh(),
    onError: (error) => errors.push(error),
  })
  const store = openEmbeddedStore(graphAt('disk'), {
    onDamage: (which) => (which === 'index' ? service.replaceDamaged() : service.replaceDamagedSearch()),
    search: searchAt('disk'),
  })
  const close = async (): Promise<void> => {
    await service.close()
    await store.close()
  }
  onTestFinished(close)
  return { service, store, errors, close }
}

/** Starts the service and waits until everything can be found. */
export async function startedSearch(file: string, vault: MemoryVault, options: ServeOptions = {}): Promise<SearchServer> {
  const server = serveSearch(file, vault, options)
  server.service.start()
  server.service.begin()
  expect(await server.service.ready(PATIENCE)).toBe(true)
  expect(await server.service.awaitFindable('words', PATIENCE)).toBe(true)
  return server
}

export const NOTES = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `notes/note ${at}.md`,
    `---\naliases: [alias ${at}]\n---\n# Note ${at}\n\nWord${at} and [[note ${(at * 7) % 40}]]. ${`Filler number${at % 5}. `.repeat(at)}\n`,
  ]),
)
export const file = () => join(temporaryFolder(), 'index.db')
export const openBag = (bag: Embedder) => ({ embedder: async () => bag })

export async function wordIds(store: Store, text: string): Promise<readonly string[]> {
  return (await ask(store).words(text, {}, 99)).hits.map(({ id }) => id)
}

/** Embedders with vectors, and the number of notes each has. */
export async function statesOf(store: Store) {
  return (await ask(store).vectorStates()).map(({ embedder, notes }) => ({ embedder, notes }))
}

export async function nearest(store: Store, bag: Embedder, text: string) {
  return await ask(store).nearest(bag.id, bagOf(text, bag.dimensions), {}, 1)
}

/** The same vectors, after a delay. */
export class SlowBag extends BagOfWords {
  override async embed(...args: Parameters<BagOfWords['embed']>): Promise<readonly Float32Array[]> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return await super.embed(...args)
  }
}

/** An embedder that fails as long as `failing` is set. */
export class FailingBag extends BagOfWords {
  fail: ((vectors: readonly Float32Array[]) => Promise<readonly Float32Array[]>) | undefined

  constructor(fail: FailingBag['fail']) {
    super()
    this.fail = fail
  }

  override async embed(...args: Parameters<BagOfWords['embed']>): Promise<readonly Float32Array[]> {
    const vectors = await super.embed(...args)
    return this.fail === undefined ? vectors : await this.fail(vectors)
  }
}
