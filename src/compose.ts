import { hash as digest } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { GraphCore } from './app/graph-core.ts'
import { Rankings } from './app/rankings.ts'
import { openLogReader } from './changes/graph-log/log-reader.ts'
import { openInsightState } from './changes/insight-state.ts'
import * as history from './changes/vault-history.ts'
import { userFolders } from './config/folders.ts'
import type { AiKey } from './config/load.ts'
import type { Settings } from './config/settings.ts'
import type { IndexStatus } from './core/indexing.ts'
import { once } from './core/once.ts'
import type { Store } from './core/store.ts'
import type { DownloadProgress } from './embed/embedder-settings.ts'
import { type EmbedderFinding, examineEmbedder } from './embed/examine-embedder.ts'
import { examineIndex, type IndexCondition, sqliteVersion } from './store/embedded/examine.ts'
import { INSIGHT } from './store/embedded/insight-cache.ts'
import type { Location } from './store/embedded/location.ts'
import { type EmbeddedStore, openEmbeddedStore, type StoreOptions } from './store/embedded/open-store.ts'
import { indexLocation, searchLocation } from './store/embedded/place.ts'
import { FORMAT } from './store/embedded/rows.ts'
import { examineSearchIndex } from './store/embedded/search/examine-search-index.ts'
import { SEARCH } from './store/embedded/search/search-rows.ts'
import { openSqlite } from './store/embedded/sqlite.ts'
import { loadHnswAddon } from './store/embedded/vectors/hnsw-addon.ts'
import type { DatabaseFinding } from './store/neo4j/examine.ts'
import type { FeederLease } from './store/neo4j/lease.ts'
import { type Neo4jPlace, serverOf } from './store/neo4j/place.ts'
import type { EnginePlace } from './store/open-writers.ts'
import { openGlobs } from './vault/ignore-rules.ts'
import type { AiDesk } from './workers/ai-desk.ts'
import { collectGarbage } from './workers/collect-garbage.ts'
import { ComputeClient } from './workers/compute-client.ts'
import { FileThreads, fileThread } from './workers/file-threads.ts'
import { IndexerHost } from './workers/indexer-channel.ts'
import { IndexingClient } from './workers/indexing-client.ts'
import { InsightClient } from './workers/insight-client.ts'
import { LayoutClient } from './workers/layout-client.ts'
import type { IndexerData } from './workers/messages.ts'
import { type OpenChat, openChat } from './workers/open-chat.ts'
import {
  type EmbeddingOptions,
  embedderDependencies,
  embedderSettings,
  gatePassage,
  type OpenEmbedding,
  openEmbedding,
} from './workers/open-embedding.ts'
import { RecentTexts } from './workers/recent-texts.ts'
import { startWorker, takeIndexer } from './workers/spare-worker.ts'
import { openFiles, openTexts } from './workers/vault-files.ts'

export interface OpenOptions {
  /** Watch the folder and stay fresh (a server), or read it once (a command). */
  readonly watch: boolean
  /** The vault's name, where one process serves several. */
  readonly name?: string
  /** Told of unexpected failures, for the log. */
  readonly onError?: (stack: string) => void
  /** What the server at `embedder.base_url` wants; never part of the settings. */
  readonly apiKey?: string
  /** Where the key of the chat model is to be had. */
  readonly aiKey?: AiKey
  /** Whether a chat model may be asked, looked at with every question; without it what the settings say. */
  readonly isAiOn?: () => boolean
  /** What the database of `store.type: neo4j` wants; never part of the settings. */
  readonly storePassword?: string
  /** A vault of that database that is answered for without its folder, by the name that it has there. */
  readonly stored?: string
  /** What the vaults of one process have in common; absent where there is one. */
  readonly shared?: SharedParts
  /** Told of the first real request. */
  readonly onBegin?: () => void
  /** What is switched on, asked whenever someone wants to write or to read an attachment; without it what the settings say. */
  readonly permits?: () => Pick<Settings['tools'], 'write' | 'attach'>
  /** Told how far the download of a model is. */
  readonly onDownload?: (progress: DownloadProgress) => void
}

/** Threads and models that several vaults of one process share. */
export interface SharedParts {
  readonly indexers: IndexerHost
  readonly compute: ComputeClient
  readonly files: FileThreads
  /** The same for the same settings. */
  embedding(settings: Settings['embedder'], options: EmbeddingOptions): OpenEmbedding
  /** After the vaults are closed. */
  close(): Promise<void>
}

/** Makes what several vaults share; nothing is started before it is used. */
export function shareParts(): SharedParts {
  const compute = new ComputeClient(() => startWorker('compute'))
  const files = new FileThreads(() => fileThread(startWorker('reader')))
  const embeddings = new Map<string, OpenEmbedding>()
  return {
    indexers: new IndexerHost(takeIndexer),
    compute,
    files,
    embedding(settings, options) {
      const key = JSON.stringify([settings, options.apiKey, options.gate])
      const embedding = embeddings.get(key) ?? openEmbedding(settings, options)
      embeddings.set(key, embedding)
      return embedding
    },
    async close() {
      await Promise.all([compute.close(), files.close(), ...[...embeddings.values()].map((one) => one.close())])
    },
  }
}

/** Opens the vault that the settings name. A vault that is missing is no error here: see `Indexing.status`. */
export async function openCore(settings: Settings, options: OpenOptions): Promise<GraphCore> {
  if (options.stored !== undefined) return await openStoredCore(settings, { ...options, stored: options.stored })
  const root = realRoot(settings.vault.path)
  const place = placeOf(settings, root, options)
  const data: IndexerData = {
    root,
    settings: {
      vault: settings.vault,
      links: settings.links,
      tags: settings.tags,
      embedder: settings.embedder,
      write: settings.write,
      files: settings.files,
      insight: settings.insight,
    },
    stateFolder: userFolders().state,
    engine: place,
    watch: options.watch,
  }
  const { shared = shareParts() } = options
  const { compute } = shared
  const embedding =
    settings.embedder.kind === 'none' ? undefined : shared.embedding(settings.embedder, { ...options, gate: settings.ai })
  const indexing = new IndexingClient(shared.indexers, data, {
    onCommitted: () => tryEagerly(() => engine.refresh()),
    onReplaced: (cache) => tryEagerly(() => engine.reopen(cache)),
    onSearchReplaced: (cache) => engine.reopenSearch(cache),
    openEmbedder: () => (embedding === undefined ? Promise.reject(new Error('no embedder is configured')) : embedding.open()),
    onError: options.onError ?? (() => {}),
    onBegin: options.onBegin,
  })
  const { ignore, gitignore, link_roots: linkRoots, mode } = settings.vault
  const reads = shared.files.open({ root, ignore, gitignore, linkRoots, mode })
  const files = openFiles(reads)
  const { permits = () => settings.tools, isAiOn = () => settings.ai.enabled } = options
  let chat: OpenChat | undefined
  const engine = await openEngine(place, {
    ...(options.name === undefined ? {} : { vault: options.name }),
    onDamage: () => indexing.reportDamage(),
    onSearchDamage: () => indexing.reportSearchDamage(),
    vectorIndex: settings.vectors.index,
    vectorGraphs: compute,
  })
  const { store } = engine
  const idle = options.watch ? whenIdle(indexing, () => giveUpMemory(engine)) : undefined
  if (options.watch) {
    followVectors(indexing, engine)
    prepareForQuestions(indexing, {
      engine,
      files: shared.files,
      ...(settings.embedder.kind === 'static' && embedding ? { embedding } : undefined),
    })
  }
  const isIgnored = openGlobs(settings.insight.ignore)
  const insightState = openInsightState({ path: join(data.stateFolder, 'insight.db'), root, openDatabase: openSqlite })
  const insightParts = {
    name: options.name,
    store,
    // Each note is read once: nothing is kept, and what answers keep stays.
    texts: openTexts(reads, new RecentTexts(0)),
    runs: compute,
    file: place.insightFile,
    isIgnored,
  }
  const insights = new InsightClient({ ...insightParts, kind: 'whole', state: insightState })
  const linkInsights = new InsightClient({ ...insightParts, kind: 'links' })
  // While the worker compares files with the index, this thread loads it.
  setImmediate(() => tryEagerly(() => engine.refresh()))
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    root: settings.vault.path,
    store,
    texts: openTexts(reads),
    rankings: new Rankings(store, compute),
    layouts: new LayoutClient(layoutFile(place.file), compute),
    pictures: files,
    insights,
    linkInsights,
    insightState,
    isIgnored,
    indexing,
    ...(settings.insight.keep_days === 0
      ? undefined
      : { graphLog: openLogReader({ stateFolder: data.stateFolder, root, openDatabase: (path) => openSqlite(path) }) }),
    ...(embedding === undefined ? undefined : { embedding }),
    searchWeight: settings.search.weight,
    ...(options.watch ? { loadSearchEarly: once(() => void loadSearch(engine)) } : undefined),
    planning: {
      plan: (operations, signal) => indexing.writing.run({ title: 'plan', operations, dryRun: true }, signal),
    },
    get writing() {
      const { write, attach } = permits()
      return write === true || attach === true ? indexing.writing : undefined
    },
    get files() {
      return permits().attach === true ? files : undefined
    },
    get chat() {
      if (!isAiOn()) return undefined
      chat ??= openChat(settings.ai, options.aiKey)
      return chat
    },
    close: async () => {
      clearInterval(idle)
      // Threads of its own end with it; shared ones may have others to work for.
      reads.close()
      chat?.close()
      insights.close()
      linkInsights.close()
      insightState.close()
      await Promise.all([indexing.close(), options.shared === undefined ? shared.close() : undefined])
      await store.close()
    },
  }
}

/** Opens a vault that a database alone is asked for; nothing of it can be written. */
async function openStoredCore(settings: Settings, options: OpenOptions & { readonly stored: string }): Promise<GraphCore> {
  const { stored, name, shared = shareParts() } = options
  const root = `neo4j ${serverOf(settings.store['neo4j.url'])} ${settings.store['neo4j.database']} ${stored}`
  const { origin: _, ...place } = neo4jPlace(settings, { ...options, root, file: indexFile(settings, root), name: stored })
  const { openStoredVault } = await import('./store/neo4j/stored-vault.ts')
  const { store, texts, indexing, isFollowed } = openStoredVault(place, name)
  const embedding =
    settings.embedder.kind === 'none' ? undefined : shared.embedding(settings.embedder, { ...options, gate: settings.ai })
  const insightState = openInsightState({ path: join(userFolders().state, 'insight.db'), root, openDatabase: openSqlite })
  const isIgnored = openGlobs(settings.insight.ignore)
  const insightParts = { name, store, texts, runs: shared.compute, file: place.insightFile, isIgnored }
  const { isAiOn = () => settings.ai.enabled } = options
  let chat: OpenChat | undefined
  const insights = new InsightClient({ ...insightParts, kind: 'whole', state: insightState })
  const linkInsights = new InsightClient({ ...insightParts, kind: 'links' })
  return {
    ...(name === undefined ? {} : { name }),
    root: stored,
    store,
    texts,
    rankings: new Rankings(store, shared.compute, isFollowed),
    layouts: new LayoutClient(layoutFile(place.file), shared.compute),
    // Attachments are where the folder is.
    pictures: { read: async () => undefined },
    insights,
    linkInsights,
    insightState,
    isIgnored,
    indexing,
    ...(embedding === undefined ? undefined : { embedding }),
    searchWeight: settings.search.weight,
    get chat() {
      if (!isAiOn()) return undefined
      chat ??= openChat(settings.ai, options.aiKey)
      return chat
    },
    close: async () => {
      chat?.close()
      insights.close()
      linkInsights.close()
      insightState.close()
      if (options.shared === undefined) await shared.close()
      await store.close()
    },
  }
}

export type { FeederLease }

/** The right to feed a vault, which one process has at a time. */
export async function openFeederLease(
  settings: Settings,
  options: Pick<OpenOptions, 'name' | 'storePassword'>,
): Promise<FeederLease> {
  const { openLease } = await import('./store/neo4j/lease.ts')
  const root = realRoot(settings.vault.path)
  return openLease(await connectionTo(neo4jPlace(settings, { ...options, root, file: indexFile(settings, root) })))
}

/** Removes a vault from the database of the settings. @throws RouxError where there is none of that name, or it is being fed */
export async function removeFed(
  settings: Settings,
  options: Required<Pick<OpenOptions, 'name'>> & Pick<OpenOptions, 'storePassword'>,
): Promise<void> {
  const { removeFedVault } = await import('./store/neo4j/remove-vault.ts')
  const connection = await connectionTo(neo4jPlace(settings, { ...options, root: '/', file: indexFile(settings, '/') }))
  try {
    await removeFedVault(connection)
  } finally {
    await connection.close()
  }
}

async function connectionTo(place: Neo4jPlace) {
  const { Connection } = await import('./store/neo4j/connection.ts')
  return new Connection(place)
}

/** Loads what is stored for search, a few milliseconds at a time: the first question would do it only after the files were compared. */
async function loadSearch({ store, refreshSearch }: OpenEngine): Promise<void> {
  try {
    // After the graph, which every call waits for.
    await new Promise((resolve) => setImmediate(resolve))
    const [newest] = await store.read((snapshot) => snapshot.vectorStates())
    await refreshSearch(newest?.embedder)
  } catch {
    // The question that follows says what is wrong.
  }
}

/** How long no one must have asked anything, and how often that is looked at. Milliseconds. */
const IDLE = { after: 30_000, look: 15_000 }

/** Does something once each time no one has asked for a while. */
function whenIdle(indexing: IndexingClient, action: () => void): NodeJS.Timeout {
  let doneFor = 0
  const timer = setInterval(() => {
    const { quietSince } = indexing
    if (quietSince === doneFor || performance.now() - quietSince < IDLE.after) return
    doneFor = quietSince
    action()
  }, IDLE.look)
  return timer.unref()
}

/** What is kept at hand for the next call is not worth its memory while none comes. */
function giveUpMemory(engine: OpenEngine): void {
  engine.rest()
  collectGarbage()
}

/** Takes vectors in as they are made: the next search shall not wait for thousands of them. */
function followVectors(indexing: IndexingClient, engine: OpenEngine): void {
  let isLoading = false
  indexing.onStatus(({ search }) => {
    const embedder = search?.vectors?.embedder
    if (isLoading || embedder === undefined) return
    isLoading = true
    engine
      .refreshSearch(embedder)
      .catch(() => {
        // The next answer tries again, and says what is wrong.
      })
      .finally(() => {
        isLoading = false
      })
  })
}

/**
 * How long the first question is prepared for at once, and how long others have their turn then; how long no one must have asked before what
 * cannot be done in parts. Milliseconds.
 */
const PREPARING = { slice: 2, pause: 8, quiet: 100 }

/**
 * Once a server is asked anything, makes ready what the first question would wait for: the thread that reads files, the names of all notes,
 * and the built-in model, which takes less than a model that someone chose may.
 */
function prepareForQuestions(
  indexing: IndexingClient,
  { engine, files, embedding }: { readonly engine: OpenEngine; readonly files: FileThreads; readonly embedding?: OpenEmbedding },
): void {
  const prepare = (): void => {
    let isDone = true
    tryEagerly(() => {
      isDone = engine.prepare(performance.now() + PREPARING.slice)
    })
    if (!isDone) setTimeout(prepare, PREPARING.pause).unref()
    else if (embedding !== undefined) openWhenQuiet(embedding)
  }
  const openWhenQuiet = (model: OpenEmbedding): void => {
    const wait = indexing.quietSince + PREPARING.quiet - performance.now()
    if (wait > 0) setTimeout(() => openWhenQuiet(model), wait).unref()
    else model.open().catch(() => {})
  }
  // Search is told of only after the first real request, and after the graph.
  const stop = indexing.onStatus(({ search }) => {
    if (search === undefined) return
    stop()
    files.boot()
    setTimeout(prepare, PREPARING.pause).unref()
  })
}

/** Reads before anybody asks; what fails is said to the first who does, and damage was reported to the worker already. */
function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The next answer tries again.
  }
}

/** In-memory indexes of one process need names of their own. */
let opened = 0

/** The reading side of an engine, and what it is told by whoever hears of commits. */
interface OpenEngine extends Pick<EmbeddedStore, 'refresh' | 'refreshSearch' | 'prepare' | 'rest'> {
  readonly store: Store
  /** The index was replaced by another, perhaps elsewhere. */
  reopen(cache: IndexStatus['cache']): void
  reopenSearch(cache: IndexStatus['cache']): void
}

/** A database on a server keeps nothing here that could be refreshed, replaced or prepared. */
async function openEngine(place: EnginePlace, options: Omit<StoreOptions, 'search'>): Promise<OpenEngine> {
  if (place.type === 'neo4j') {
    const [{ Connection }, { openNeo4jStore }] = await Promise.all([
      import('./store/neo4j/connection.ts'),
      import('./store/neo4j/open-store.ts'),
    ])
    const store = openNeo4jStore(new Connection(place), options.vault)
    const nothing = (): void => {}
    return {
      store,
      refresh: nothing,
      refreshSearch: async () => {},
      prepare: () => true,
      rest: nothing,
      reopen: nothing,
      reopenSearch: nothing,
    }
  }
  const store = openEmbeddedStore(indexLocation(place, 'disk'), { ...options, search: searchLocation(place, 'disk') })
  return {
    store,
    refresh: () => store.refresh(),
    refreshSearch: (embedder) => store.refreshSearch(embedder),
    prepare: (until) => store.prepare(until),
    rest: () => store.rest(),
    reopen: (cache) => store.reopen(indexLocation(place, cache)),
    reopenSearch: (cache) => store.reopenSearch(searchLocation(place, cache)),
  }
}

/** Chooses the engine of a vault; both sides of it follow from this value. */
function placeOf(settings: Settings, root: string, options: Pick<OpenOptions, 'name' | 'storePassword'>): EnginePlace {
  const file = indexFile(settings, root)
  if (settings.store.type === 'neo4j') return neo4jPlace(settings, { root, file, ...options })
  return {
    type: 'embedded',
    file,
    searchFile: searchIndexFile(file),
    insightFile: insightFile(file),
    memory: `roux-${process.pid}-${++opened}`,
  }
}

function neo4jPlace(
  { store }: Settings,
  {
    root,
    file,
    name,
    storePassword = '',
  }: { readonly root: string; readonly file: string } & Pick<OpenOptions, 'name' | 'storePassword'>,
): Neo4jPlace {
  const vault = name ?? basename(root)
  const { 'neo4j.url': url, 'neo4j.user': user, 'neo4j.database': database } = store
  return {
    type: 'neo4j',
    url,
    user,
    password: storePassword,
    database,
    vault,
    // Which folder it is, and (as the name of the file says) by which settings it is read.
    origin: { folder: digest('sha256', root, 'hex'), reading: basename(file) },
    file: `${serverOf(url)} (${vault})`,
    insightFile: insightFile(file),
  }
}

/** A vault given through a symbolic link is the vault itself; one that is missing may still come. */
function realRoot(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    return absolute
  }
}

/** Where a vault's index is: another version, or a setting that changes what notes say, makes another file. */
export function indexFile(settings: Settings, root = realRoot(settings.vault.path)): string {
  const { mode, ignore, gitignore, link_roots: linkRoots } = settings.vault
  const { profile, comments } = settings.links
  const { link_text: linkText, colors } = settings.tags
  const facts = JSON.stringify([root, FORMAT, mode, ignore, gitignore, linkRoots, profile, comments, linkText, colors])
  const folder = settings.cache.path === '' ? userFolders().cache : resolve(settings.cache.path)
  return join(folder, `index-${digest('sha256', facts, 'hex').slice(0, 24)}.db`)
}

/** The search indexes lie beside the index that they belong to. */
/** Where notes lie on the map is kept beside the index. */
function layoutFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-(.*)\.db$/, 'layout-$1.json'))
}

function searchIndexFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `search-${SEARCH.format}-`))
}

/** So does what the vault says as a whole. */
function insightFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `insight-${INSIGHT.format}-`))
}

/** Where a vault's indexes are kept, and how many bytes each has on disk, with what SQLite keeps beside it; 0 where there is none. */
export function measureIndexes(settings: Settings): { readonly index: number; readonly search: number } {
  const file = indexFile(settings)
  const bytes = (path: string): number => sizeOf(path) + sizeOf(`${path}-wal`)
  return { index: bytes(file), search: bytes(searchIndexFile(file)) }
}

/** A file in a folder that cannot be looked into has no size that matters. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

export type { AiDesk, NamedModel } from './workers/ai-desk.ts'

/** What a person says and is told of models on servers; opens the file of consent and usage when it is asked for something. */
export async function openAiDesk(settings: Settings, key?: AiKey): Promise<AiDesk> {
  const { AiDesk } = await import('./workers/ai-desk.ts')
  return new AiDesk(settings, key)
}

export type History = history.History

/** What is remembered of a vault's past. @throws RouxError where that cannot be read */
export function readHistory(settings: Settings): History {
  return history.readHistory(historyOf(settings))
}

/** Forgets what is remembered of a vault's past. @returns what was forgotten @throws RouxError where that cannot be written */
export function forgetHistory(settings: Settings): History {
  return history.forgetHistory(historyOf(settings))
}

function historyOf(settings: Settings): history.HistoryOptions {
  return {
    stateFolder: userFolders().state,
    root: realRoot(settings.vault.path),
    openDatabase: (path) => openSqlite(path),
  }
}

/** What only the adapters can tell of an installation. Changes nothing on disk, downloads nothing. */
export async function diagnose(
  settings: Settings,
  options: Pick<OpenOptions, 'apiKey' | 'name' | 'stored' | 'storePassword'> = {},
): Promise<Diagnosis> {
  const { apiKey } = options
  const { admit, close } = gatePassage(settings.ai)
  const file = indexFile(settings)
  const searchFile = searchIndexFile(file)
  const sqlite = sqliteVersion()
  const examine = (path: string, look: (location: Location) => IndexCondition): IndexDiagnosis =>
    sqlite.message === undefined ? { file: path, ...look({ kind: 'file', path }) } : { file: path, state: 'absent' }
  const hnsw = settings.vectors.index === 'hnsw' ? await loadHnswAddon() : undefined
  const embedder = await examineEmbedder(embedderSettings(settings.embedder, apiKey), { ...embedderDependencies(), admit })
  close()
  return {
    sqlite,
    index: examine(file, examineIndex),
    searchIndex: examine(searchFile, examineSearchIndex),
    embedder,
    ...(hnsw?.reason === undefined ? {} : { hnsw: hnsw.reason }),
    ...(settings.store.type === 'neo4j' ? { database: await examineStore(settings, options) } : {}),
  }
}

async function examineStore(
  settings: Settings,
  { name, stored = name, storePassword }: Pick<OpenOptions, 'name' | 'stored' | 'storePassword'>,
): Promise<readonly DatabaseFinding[]> {
  const { examineDatabase } = await import('./store/neo4j/examine.ts')
  const root = realRoot(settings.vault.path)
  const options = { ...(stored === undefined ? {} : { name: stored }), ...(storePassword === undefined ? {} : { storePassword }) }
  const connection = await connectionTo(neo4jPlace(settings, { ...options, root, file: indexFile(settings, root) }))
  try {
    return await examineDatabase(connection)
  } finally {
    await connection.close()
  }
}

export interface Diagnosis {
  /** `message` says why it does not load. */
  readonly sqlite: { readonly version?: string; readonly message?: string }
  readonly index: IndexDiagnosis
  readonly searchIndex: IndexDiagnosis
  readonly embedder: readonly EmbedderFinding[]
  /** Why the index of vectors that is set cannot be used. */
  readonly hnsw?: string
  /** Of the database that keeps the index instead of files of this computer. */
  readonly database?: readonly DatabaseFinding[]
}

export interface IndexDiagnosis {
  readonly file: string
  /** `foreign`: of another program · `newer`, `older`: of another version of this one. */
  readonly state: 'absent' | 'present' | 'damaged' | 'foreign' | 'newer' | 'older'
  readonly message?: string
}
