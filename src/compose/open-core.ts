import { join } from 'node:path'
import type { GraphCore } from '../app/graph-core.ts'
import { Rankings } from '../app/links/rankings.ts'
import { openLogReader } from '../changes/graph-log.ts'
import { openInsightState } from '../changes/insight-state.ts'
import { userFolders } from '../config/environment.ts'
import { languagesOf, type Settings } from '../config/settings.ts'
import type { Decisions, InsightState } from '../core/insight/insight.ts'
import { once } from '../core/waiting.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'
import { serverOf } from '../store/neo4j/server/place.ts'
import { openGlobs } from '../vault/ignore-rules.ts'
import type { ComputeClient } from '../workers/compute-client.ts'
import { openFiles, openTexts } from '../workers/files/vault-files.ts'
import { IndexingClient } from '../workers/indexing-client.ts'
import { InsightClient } from '../workers/insight-client.ts'
import { LayoutClient } from '../workers/layout-client.ts'
import { mayEmbed } from '../workers/may-leave.ts'
import type { IndexerData } from '../workers/messages.ts'
import { type OpenChat, openChat } from '../workers/open-chat.ts'
import { neo4jPlace, openEngine, placeOf } from './engine.ts'
import { indexFile, realRoot } from './index-files.ts'
import { type OpenOptions, shareParts } from './open-options.ts'
import { followVectors, loadSearch, prepareForQuestions, releaseMemory, tryEagerly, whenIdle } from './prepare.ts'

/** Opens a vault. A missing folder is not an error here; see `Indexing.status`. */
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
      search: settings.search,
      ai: settings.ai,
    },
    stateFolder: userFolders().state,
    engine: place,
    watch: options.watch,
  }
  const { shared = shareParts(), ai = () => settings.ai } = options
  const { compute } = shared
  const embedding = settings.embedder.kind === 'none' ? undefined : shared.embedding(settings.embedder, { ...options, gate: ai })
  const indexing = new IndexingClient(shared.indexers, data, {
    onCommitted: () => tryEagerly(() => engine.refresh()),
    onReplaced: (which, cache) => tryEagerly(() => engine.reopen(which, cache)),
    openEmbedder: () => (embedding === undefined ? Promise.reject(new Error('no embedder is configured')) : embedding.open()),
    onError: options.onError ?? (() => {}),
    onBegin: options.onBegin,
  })
  const { ignore, gitignore, link_roots: linkRoots, mode } = settings.vault
  const reads = shared.files.open({ root, ignore, gitignore, linkRoots, mode })
  const texts = openTexts(reads)
  const files = openFiles(reads)
  const { permits = () => settings.tools } = options
  const chat = chatOf(settings, options)
  const engine = await openEngine(place, {
    ...(options.name === undefined ? {} : { vault: options.name }),
    onDamage: (which) => indexing.reportDamage(which),
    vectorIndex: settings.vectors.index,
    vectorGraphs: compute,
  })
  const { store } = engine
  options.onAiChange?.(() => indexing.setAi(ai()))
  const idle = options.watch ? whenIdle(indexing, () => releaseMemory(engine, texts, shared.files)) : undefined
  if (options.watch) followVectors(indexing, engine)
  const stopPreparing = options.watch
    ? prepareForQuestions(indexing, {
        engine,
        files: shared.files,
        ...(settings.embedder.kind === 'static' && embedding ? { embedding } : undefined),
      })
    : undefined
  const whole = openWholeVault(settings, {
    name: options.name,
    root,
    store,
    // Texts are not cached, because each note is read only once.
    texts: openTexts(reads, 0),
    runs: compute,
    file: place.insightFile,
  })
  // This thread loads the index while the worker compares files.
  setImmediate(() => tryEagerly(() => engine.refresh()))
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    root: settings.vault.path,
    store,
    texts,
    rankings: new Rankings(store, compute),
    layouts: new LayoutClient(place, shared.layouts),
    pictures: files,
    ...whole,
    indexing,
    ...(settings.insight.keep_days === 0
      ? undefined
      : { graphLog: openLogReader({ stateFolder: data.stateFolder, root, openDatabase: (path) => openSqlite(path) }) }),
    ...(embedding === undefined ? undefined : { embedding: { ...embedding, mayEmbed: mayEmbed(settings.embedder, ai) } }),
    searchWeight: settings.search.weight,
    languages: languagesOf(settings.search),
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
      return chat.now
    },
    close: async () => {
      clearInterval(idle)
      stopPreparing?.()
      reads.close()
      chat.close()
      whole.close()
      await Promise.all([indexing.close(), embedding?.close(), options.shared === undefined ? shared.close() : undefined])
      await store.close()
    },
  }
}

async function openStoredCore(settings: Settings, options: OpenOptions & { readonly stored: string }): Promise<GraphCore> {
  const { stored, name, shared = shareParts(), ai = () => settings.ai } = options
  const root = `neo4j ${serverOf(settings.store['neo4j.url'])} ${settings.store['neo4j.database']} ${stored}`
  const { origin: _, ...place } = neo4jPlace(settings, { ...options, root, file: indexFile(settings, root), name: stored })
  const { openStoredVault } = await import('../store/neo4j/stored-vault.ts')
  const { store, texts, indexing, graphLog, isFollowed } = openStoredVault(place, name)
  const embedding = settings.embedder.kind === 'none' ? undefined : shared.embedding(settings.embedder, { ...options, gate: ai })
  const whole = openWholeVault(settings, {
    name,
    root,
    store,
    texts,
    runs: shared.compute,
    file: place.insightFile,
    isMaintainedElsewhere: isFollowed,
  })
  const chat = chatOf(settings, options)
  return {
    ...(name === undefined ? {} : { name }),
    root: stored,
    store,
    texts,
    rankings: new Rankings(store, shared.compute, isFollowed),
    layouts: new LayoutClient(place, shared.layouts),
    pictures: { read: async () => undefined },
    ...whole,
    indexing,
    graphLog,
    ...(embedding === undefined ? undefined : { embedding: { ...embedding, mayEmbed: mayEmbed(settings.embedder, ai) } }),
    searchWeight: settings.search.weight,
    languages: languagesOf(settings.search),
    get chat() {
      return chat.now
    },
    close: async () => {
      chat.close()
      whole.close()
      await Promise.all([embedding?.close(), options.shared === undefined ? shared.close() : undefined])
      await store.close()
    },
  }
}

export interface WholeVaultParts extends Pick<GraphCore, 'root' | 'store' | 'texts'> {
  readonly name: string | undefined
  readonly runs: ComputeClient
  readonly file: string
  /** Returns true if another process is about to update the stored results. */
  readonly isMaintainedElsewhere?: () => boolean
}

function openWholeVault(
  settings: Settings,
  { root, ...parts }: WholeVaultParts,
): Pick<GraphCore, 'insights' | 'linkInsights' | 'insightState' | 'updateInsights' | 'isIgnored'> & { close(): void } {
  const isIgnored = openGlobs(settings.insight.ignore)
  const stored = openInsightState({ path: join(userFolders().state, 'insight.db'), root, openDatabase: openSqlite })
  const insightState: InsightState = stateWith(stored, parts.store.decisions)
  const ofBoth = { ...parts, isIgnored, ignored: settings.insight.ignore.join('\n'), languages: languagesOf(settings.search) }
  const insights = new InsightClient({ ...ofBoth, kind: 'whole', state: insightState })
  const linkInsights = new InsightClient({ ...ofBoth, kind: 'links' })
  return {
    insights,
    linkInsights,
    insightState,
    async updateInsights() {
      await insights.update()
      await linkInsights.update()
    },
    ...(settings.insight.ignore.length === 0 ? undefined : { isIgnored }),
    close() {
      insights.close()
      linkInsights.close()
      insightState.close()
    },
  }
}

/** Returns the state with shared decisions, because all users of a shared index see the same ones. */
function stateWith(stored: InsightState, decisions: Decisions | undefined): InsightState {
  if (decisions === undefined) return stored
  return {
    ...decisions,
    communities: () => stored.communities(),
    keepCommunities: (bytes) => stored.keepCommunities(bytes),
    close: () => stored.close(),
  }
}

/** Returns the chat model. `now` is `undefined` while AI is disabled. */
function chatOf(
  settings: Settings,
  { aiKey, ai = () => settings.ai }: Pick<OpenOptions, 'aiKey' | 'ai'>,
): { readonly now: OpenChat | undefined; close(): void } {
  let chat: OpenChat | undefined
  return {
    get now() {
      if (!ai().enabled) return undefined
      chat ??= openChat(ai, aiKey)
      return chat
    },
    close: () => chat?.close(),
  }
}
