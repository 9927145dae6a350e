import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Embedder } from '../../../../src/core/embedder.ts'
import type { NodeId } from '../../../../src/core/ids.ts'
import type { IndexWriter } from '../../../../src/core/index-writer.ts'
import type { SearchWriter } from '../../../../src/core/search-writer.ts'
import type { Indexer } from '../../../../src/indexing/indexer.ts'
import { RecentBytes } from '../../../../src/indexing/search-document.ts'
import { SearchIndexer } from '../../../../src/indexing/search-indexer.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/open-store.ts'
import { openSearchWriter } from '../../../../src/store/embedded/search/search-writer.ts'
import { openIndexWriter } from '../../../../src/store/embedded/writer.ts'
import { fileKind } from '../../../../src/vault/file-system.ts'
import { ask } from '../../../support/ask.ts'
import { bagOf } from '../../../support/bag-of-words.ts'
import { openIndexer } from '../../../support/indexers.ts'
import type { MemoryVault } from '../../../support/memory-vault.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

/** Graph and search of a vault over files, with every step controlled by the test. */
export class SearchRig {
  readonly vault: MemoryVault
  readonly indexFile: string
  readonly searchFile: string
  readonly mismatches: string[] = []
  /** Number of rows of the graph's index that search has read. */
  rowsRead = 0
  indexer: Indexer
  store: EmbeddedStore
  search: SearchIndexer
  writer: SearchWriter
  readonly #embedder: Embedder | undefined
  #index: IndexWriter
  #wake: () => void = () => {}

  constructor(vault: MemoryVault, embedder?: Embedder, folder = temporaryFolder()) {
    this.vault = vault
    this.#embedder = embedder
    this.indexFile = join(folder, 'index.db')
    this.searchFile = join(folder, 'search.db')
    const { index, indexer, store, writer, search } = this.#open()
    Object.assign(this, { indexer, store, writer, search })
    this.#index = index
    this.indexer = indexer
    this.store = store
    this.writer = writer
    this.search = search
    onTestFinished(() => this.close())
  }

  #open() {
    const { vault } = this
    const index = openIndexWriter({ kind: 'file', path: this.indexFile })
    const location = { kind: 'file', path: this.searchFile } as const
    const writer = openSearchWriter(location)
    const indexer = openIndexer(vault, index)
    const store = openEmbeddedStore(
      { kind: 'file', path: this.indexFile },
      {
        onDamage: () => {},
        search: location,
      },
    )
    const embedder = this.#embedder
    const search = new SearchIndexer({
      vault,
      recent: new RecentBytes(),
      index: {
        contents: async (since) => {
          const found = await index.contents(since)
          this.rowsRead += found.files.length
          return found
        },
        descriptions: (keys) => index.descriptions(keys),
      },
      search: writer,
      embedding: embedder === undefined ? {} : { openEmbedder: async () => embedder },
      deletesOtherVectors: true,
      flavor: { profile: 'lenient', comments: true, mode: 'obsidian' },
      kindOf: (path) => fileKind(path, 'obsidian'),
      onMismatch: (path) => this.mismatches.push(path),
      onWake: () => this.#wake(),
    })
    return { index, indexer, store, writer, search }
  }

  /** Brings the graph up to date. */
  async reconcile(files?: readonly string[]): Promise<void> {
    await this.indexer.reconcile(files === undefined ? { all: true } : { all: false, folders: [], files })
  }

  /** Runs up to this many steps of search. */
  async steps(most: number): Promise<void> {
    await this.search.refresh()
    for (let step = 0; step < most; step++) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const result = await this.search.step()
      if (result === 'done') return
      if (result === 'waiting') await woken
    }
  }

  async finish(): Promise<this> {
    await this.reconcile()
    await this.steps(Number.POSITIVE_INFINITY)
    return this
  }

  /** Ends everything abruptly, as a kill would, and reopens the files. */
  async restart(): Promise<void> {
    await this.close()
    const { index, indexer, store, writer, search } = this.#open()
    Object.assign(this, { indexer, store, writer, search })
    this.#index = index
  }

  async close(): Promise<void> {
    await this.search.close()
    await this.writer.close()
    await this.#index.close()
    await this.store.close()
  }
}

/** A store's answers to some questions; ties are sorted by id. */
export async function answersOf(store: EmbeddedStore, embedder: string | undefined, questions: readonly string[]) {
  const answers = []
  for (const question of questions) {
    const words = await ask(store).words(question, {}, 100)
    const options = { scope: {}, orderBy: 'relevance', page: { offset: 0, limit: 100 } } as const
    const { notes: found, fallback } = await ask(store).find(question, new Date(0), options)
    answers.push({
      question,
      words: { ...words, hits: words.hits.map(rounded).sort(byAll) },
      found: { ...found, fallback, items: found.items.map((item) => rounded({ ...item, score: item.score ?? 1 })) },
    })
    if (embedder === undefined) continue
    const near = await ask(store).nearest(embedder, bagOf(question), {}, 1_000)
    const names = await ask(store).nearestNames(embedder, bagOf(question), {}, { limit: 1_000, minimum: -1 })
    answers.push({ question, near: near.map(rounded).sort(byAll), names: names.map(rounded).sort(byAll) })
  }
  return answers
}

/** The vectors of every note. */
export async function vectorsOf(store: EmbeddedStore, embedder: string) {
  const { items } = await ask(store).select({}, { offset: 0, limit: 1_000 })
  return await Promise.all(items.map(async ({ id }) => ({ id, stored: await ask(store).vectors(embedder, id as NodeId) })))
}

/** Rounds the score. Another order of summation changes the last digits. */
function rounded<T extends { readonly score: number }>(hit: T): T {
  return { ...hit, score: Number(hit.score.toFixed(6)) }
}

function byAll(a: { readonly score: number }, b: { readonly score: number }): number {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)]
  return b.score - a.score || (one < other ? -1 : Number(one > other))
}
