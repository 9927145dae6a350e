import type { GraphCore } from '../../src/app/graph-core.ts'
import type { Embedder } from '../../src/core/embedder.ts'
import type { Indexing, IndexStatus } from '../../src/core/indexing.ts'
import { layOut } from '../../src/insight/layout.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { insightsOf, linkInsightsOf, memoryInsightState } from '../support/insights.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

/** Has the built-in model's id, so its cosines need no calibration. */
export class KnownBag extends BagOfWords {
  override readonly id: string = 'static:bag:64'

  constructor() {
    super('bag', 64)
  }
}

export interface SearchCore extends GraphCore {
  readonly indexed: IndexedVault
  readonly vault: MemoryVault
}

export interface CoreOptions {
  /** The embedder for the notes. If it is omitted, the notes are not embedded. */
  readonly embedder?: Embedder
  /** Which files' texts may be embedded. */
  readonly mayEmbed?: (path: string) => boolean
  /** Opens the embedder for questions, if it differs from the one for notes. */
  readonly open?: () => Promise<Embedder>
  readonly openFormer?: (id: string) => Promise<Embedder | undefined>
  readonly status?: Partial<IndexStatus>
  /** The vault's name when there are several vaults. */
  readonly name?: string
  /** The languages of questions. */
  readonly languages?: readonly string[]
}

/** A core over notes, searchable by words and, with an embedder, by meaning. */
export async function searchCore(files: Readonly<Record<string, string>>, options: CoreOptions = {}): Promise<SearchCore> {
  const { embedder, mayEmbed, open, openFormer, status, name, languages = [] } = options
  const vault = new MemoryVault(files)
  const indexed = await new IndexedVault(vault, {}, name).index()
  await indexed.indexSearch(embedder, mayEmbed)
  const opens = open ?? (embedder === undefined ? undefined : async () => embedder)
  const total = Object.keys(files).length
  const insightState = memoryInsightState()
  const done = { done: total, total }
  const indexing: Indexing = {
    status: () => ({
      phase: 'idle',
      done: total,
      total,
      cache: 'memory',
      watch: 'events',
      search: { words: done, ...(opens === undefined ? undefined : { vectors: done }) },
      ...status,
    }),
    begin: () => {},
    ready: async () => true,
    awaitFindable: async () => true,
    isBehind: () => false,
    awaitCaughtUp: async () => true,
    awaitUpToDate: async () => {},
    reconcile: async (paths = []) => {
      await indexed.indexer.reconcile({ all: false, folders: [], files: paths })
    },
    onStatus: () => () => {},
    close: async () => {},
  }
  return {
    ...(name === undefined ? undefined : { name }),
    root: '/vault',
    store: indexed.store,
    texts: indexed.texts,
    rankings: indexed.rankings,
    layouts: {
      hasPlaces: async () => true,
      underWay: () => undefined,
      version: async () => undefined,
      keptPicture: async () => undefined,
      keepPicture: async () => {},
      layOut: async (graph) => ({
        places: layOut(graph, graph.levels),
        regions: new Int32Array(graph.ids.length).fill(-1),
        added: 0,
        isRough: false,
      }),
    },
    pictures: { read: async () => undefined },
    insights: insightsOf(indexed, insightState, name),
    linkInsights: linkInsightsOf(indexed, name),
    insightState,
    indexing,
    ...(opens === undefined
      ? undefined
      : { embedding: { open: opens, openFormer: openFormer ?? (async () => undefined), mayEmbed } }),
    searchWeight: 'auto',
    languages,
    close: () => indexed.store.close(),
    indexed,
    vault,
  }
}
