import type { GraphCore } from '../../src/app/graph-core.ts'
import { Rankings } from '../../src/app/links/rankings.ts'
import type { Embedder } from '../../src/core/embedder.ts'
import { foldId } from '../../src/core/ids.ts'
import type { Indexing, IndexStatus } from '../../src/core/indexing.ts'
import { ALL, type ExportRow, PROBLEM_KINDS, type Problem, type Snapshot, type Store } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'
import { insightsOf, linkInsightsOf, memoryInsightState } from './insights.ts'
import { IndexedVault, MemoryVault } from './memory-vault.ts'
import { textsOf } from './texts.ts'

/** A file of a fake vault; `properties` become its frontmatter. */
export interface FakeFile {
  readonly body?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly excluded?: boolean
}

export interface FakeStore extends Store {
  /** The parts that every use case reads; tests may replace some. */
  readonly snapshot: Snapshot
  readonly texts: Texts
  /** Ids of the texts that were read. */
  readonly reads: readonly string[]
  readonly problemsFound: Problem[]
}

/** Files in memory, indexed on the first question. The only problems are those a test adds. */
export function fakeStore(files: Readonly<Record<string, FakeFile>>, name?: string): FakeStore {
  const vault = new MemoryVault()
  for (const [path, { body = '', properties = {}, excluded = false }] of Object.entries(files)) {
    const lines = Object.entries(properties).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    vault.write(path, (lines.length === 0 ? '' : `---\n${lines.join('')}---\n`) + body)
    if (excluded) vault.excluded.add(path)
  }
  let indexed: Promise<IndexedVault> | undefined
  const open = () => {
    indexed ??= new IndexedVault(vault, {}, name).index().then((one) => one.indexSearch())
    return indexed
  }
  const reads: string[] = []
  const problemsFound: Problem[] = []
  const texts: Texts = {
    async read(versions) {
      const found = await textsOf(() => vault).read(versions)
      reads.push(...versions.flatMap(({ id }, at) => (found[at] === undefined ? [] : [id])))
      return found
    },
  }
  const own: Partial<Snapshot> = {
    generation: 1,
    files: Object.keys(files).length,
    complete: true,
    lineage: 'fake',
    isLast: false,
    isMixed: false,
    restart() {},
    async problems({ kind, folder, id }, { offset, limit }) {
      const items = problemsFound.filter(
        (problem) =>
          (kind === undefined || problem.kind === kind) &&
          (id === undefined || problem.id === id) &&
          (folder === undefined || problem.id.startsWith(`${foldId(folder)}/`)),
      )
      return { items: items.slice(offset, offset + limit), total: items.length }
    },
    async problemCounts(filter) {
      const { items } = await snapshot.problems(filter, ALL)
      const counts = PROBLEM_KINDS.map((kind) => [kind, items.filter((problem) => problem.kind === kind).length])
      return Object.fromEntries(counts)
    },
  }
  const asked =
    (member: keyof Snapshot) =>
    async (...given: unknown[]) => {
      const { store } = await open()
      return await store.read((real) => (real[member] as (...args: unknown[]) => Promise<unknown>)(...given))
    }
  const snapshot = new Proxy(own as Snapshot, {
    // Read texts from the vault, not from the store.
    get: (_, member: keyof Snapshot) => (member in own || member === 'texts' ? own[member] : asked(member)),
  })
  return storeOf(snapshot, { texts, reads, problemsFound })
}

/** The store with another snapshot. */
export function withSnapshot(store: FakeStore, others: Partial<Snapshot>): FakeStore {
  const { texts, reads, problemsFound } = store
  const snapshot = new Proxy(store.snapshot, {
    get: (target, member: keyof Snapshot) => (member in others ? others[member] : target[member]),
  })
  return storeOf(snapshot, { texts, reads, problemsFound })
}

/** A store whose snapshot is always this one. */
export function storeOf<T extends object>(snapshot: Snapshot, more: T): Store & { readonly snapshot: Snapshot } & T {
  return {
    ...more,
    snapshot,
    read: async (use) => await use(snapshot),
    condition: () => 'ready',
    async keepScores() {},
    async *export(): AsyncIterable<ExportRow> {},
    onChange: () => () => {},
    async close() {},
  }
}

/** A core over a fake store; indexing is idle by default. */
export function fakeCore(
  store: Store & { readonly texts?: Texts },
  status: Partial<IndexStatus> = {},
): GraphCore & { calls: string[] } {
  const calls: string[] = []
  const indexing: Indexing = {
    status: () => ({ phase: 'idle', done: 0, total: 0, cache: 'memory', watch: 'off', ...status }),
    begin: () => void calls.push('begin'),
    async ready(timeout) {
      calls.push(`ready ${timeout}`)
      return true
    },
    async awaitFindable() {
      return true
    },
    isBehind: () => false,
    async awaitCaughtUp() {
      return true
    },
    async awaitUpToDate() {},
    async reconcile() {},
    onStatus: () => () => {},
    async close() {},
  }
  const { texts = { read: async (versions) => versions.map(() => undefined) } } = store
  const rankings = new Rankings(store, {
    run: async (metric, topology) => (metric === 'pagerank' ? { scores: pageRank(topology) } : betweenness(topology)),
  })
  const layouts = {
    hasPlaces: async () => true,
    underWay: () => undefined,
    version: async () => undefined,
    keptPicture: async () => undefined,
    keepPicture: async () => {},
    layOut: async () => ({ places: new Float32Array(), regions: new Int32Array(), added: 0, isRough: false }),
  }
  const pictures = { read: async () => undefined }
  const insightState = memoryInsightState()
  const insights = insightsOf({ store, texts }, insightState)
  const linkInsights = linkInsightsOf({ store, texts })
  return {
    root: '/vault',
    store,
    texts,
    rankings,
    layouts,
    pictures,
    insights,
    linkInsights,
    insightState,
    indexing,
    searchWeight: 'auto',
    languages: [],
    calls,
    async close() {},
  }
}

/** An embedder whose vectors have a single direction. */
export function fakeEmbedding(): NonNullable<GraphCore['embedding']> {
  const embedder: Embedder = {
    id: 'static:fake:2',
    dimensions: 2,
    batch: 8,
    embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
    async close() {},
  }
  return { open: async () => embedder, openFormer: async () => undefined }
}
