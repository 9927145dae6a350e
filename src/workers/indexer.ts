import { rmSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type LogWriter, openLogWriter } from '../changes/graph-log.ts'
import { languagesOf, retentionOf } from '../config/settings.ts'
import { conflictOriginal } from '../core/conflict-copies.ts'
import type { Embedder } from '../core/embedder.ts'
import { RouxError } from '../core/errors.ts'
import type { IndexName, IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { WriteRequest } from '../core/operations.ts'
import { quietly } from '../core/quietly.ts'
import { answer, Calls } from '../core/thread-calls.ts'
import { NO_TIMEOUT } from '../core/waiting.ts'
import { tablesFor } from '../embed/open-embedder.ts'
import { Freshness } from '../indexing/freshness.ts'
import { isVaultMissing } from '../indexing/indexer.ts'
import { IndexingService, type ServiceParts } from '../indexing/service.ts'
import { forgetFoldedWords } from '../search/words/fold-word.ts'
import { forgetJoinedWords } from '../search/words/joined-word.ts'
import { forgetStems } from '../search/words/stem.ts'
import { guardSqlite, loadSqlite, openSqlite } from '../store/embedded/sqlite.ts'
import { openWriters } from '../store/open-writers.ts'
import { fileKind } from '../vault/file-system.ts'
import { openVault, type VaultOptions } from '../vault/open-vault.ts'
import type { WatchOptions } from '../vault/watch-vault.ts'
import { embeddingTables } from './entries.ts'
import { collectGarbage, isHeapShort } from './heap.ts'
import { mayEmbed } from './may-leave.ts'
import type { FromIndexer, IndexerData, OpenIndexer, ToIndexer } from './messages.ts'
import { embedderSettings } from './open-embedding.ts'
import { openWrites } from './open-writes.ts'
import { type EmbedderService, openRelayedEmbedder } from './relayed-embedder.ts'
import { ownGuard } from './thread-guard.ts'
import type { WriteService } from './write-service.ts'

if (parentPort === null) throw new Error('This file can only run as a worker.')
guardSqlite(ownGuard())
serveVault(parentPort)

// SQLite is loaded during the protocol handshake. The first use reports errors.
try {
  loadSqlite()
} catch {}

function serveVault(port: MessagePort): void {
  const send = (message: FromIndexer): void => port.postMessage(message)
  const embedder = new Calls<EmbedderService>((call) => send({ type: 'embedder', call }))
  let service: IndexingService | undefined
  let writes: WriteService | undefined
  let calls: IndexerService | undefined
  let log: LogWriter | undefined
  const replaced = { index: 0, search: 0 }
  let ai: OpenIndexer['settings']['ai'] | undefined

  port.on('message', (message: ToIndexer) => {
    switch (message.type) {
      case 'join':
        serveVault(message.port)
        break
      case 'open':
        log = openLog(message.data, (reason) => service?.noteLog(reason))
        service = openService(message.data, {
          send,
          embedder,
          log,
          ai: () => ai ?? message.data.settings.ai,
          onReplaced: (which) => replaced[which]++,
          onIdle: () => writes?.tidy(),
        })
        writes = openWrites(message.data, service)
        calls = indexerService(service, writes)
        service.onStatus((status) => send({ type: 'status', status }))
        service.start()
        break
      case 'begin':
        begin(service, writes, send)
        break
      case 'ai':
        ai = message.ai
        break
      case 'callStarted':
        service?.onCall()
        break
      case 'call':
        if (calls !== undefined) void answer(calls, message.call, (reply) => send({ type: 'reply', reply }))
        break
      case 'damaged':
        // If the numbers differ, the index has been replaced in the meantime.
        if (message.replaced !== replaced[message.which]) break
        if (message.which === 'index') service?.replaceDamaged()
        else service?.replaceDamagedSearch()
        break
      case 'embedder':
        embedder.receive(message.reply)
        break
      case 'close':
        void closeService(service, send).finally(() => {
          writes?.close()
          log?.close()
          // The listener on the parent's port keeps these objects in memory until the last vault is closed.
          service = writes = calls = log = undefined
          send({ type: 'closed' })
          // The parent's port stays open, because more vaults may join through it.
          if (port !== parentPort) port.close()
        })
        break
      case 'end':
        process.exit()
    }
  })
}

interface ServiceCallbacks {
  readonly send: Send
  readonly embedder: Calls<EmbedderService>
  readonly log: LogWriter | undefined
  ai(): OpenIndexer['settings']['ai']
  readonly onReplaced: (which: IndexName) => void
  readonly onIdle: () => void
}

type Send = (message: FromIndexer) => void

function openLog(
  { root, stateFolder, settings: { insight } }: OpenIndexer,
  onProblem: (reason: string | undefined) => void,
): LogWriter | undefined {
  if (insight.keep_days === 0) return undefined
  return openLogWriter({
    stateFolder,
    root,
    openDatabase: (path) => openSqlite(path),
    retention: retentionOf(insight),
    onProblem,
  })
}

function openService(
  { root, settings, engine, watch, freshness, mayGrow }: OpenIndexer,
  { send, embedder: calls, log, ai, onReplaced, onIdle }: ServiceCallbacks,
): IndexingService {
  const { vault, links, tags, embedder, search } = settings
  const options: VaultOptions = { ...vault, linkRoots: vault.link_roots }
  const { openIndex, openSearch, keepsTexts, ...checks } = openWriters(engine)
  const tellReplaced = (which: IndexName, cache: IndexStatus['cache']): void => {
    onReplaced(which)
    send({ type: 'replaced', which, cache })
  }
  const watchKind = !watch || vault.watch === 'off' ? 'off' : vault.watch === 'polling' ? 'polling' : 'events'
  return new IndexingService({
    openVault: () => openVault(root, options),
    openWriter: openIndex,
    ...(watchKind === 'off'
      ? undefined
      : { watch: startWatching(root, { ...options, watch: watchKind === 'polling' ? 'polling' : 'auto' }) }),
    watchKind,
    file: engine.file,
    ...checks,
    indexer: {
      ...links,
      ignoredTags: { inLinkText: !tags.link_text, colors: !tags.colors },
      mode: vault.mode,
      kindOf: fileKind,
      isConflictCopy: (path) => conflictOriginal(path) !== undefined,
      keepsTexts,
      isMemoryShort: isHeapShort,
      // The kept map shows the day of each note's last change, and a new day alone is no new generation.
      onDaysChanged: () => quietly(() => rmSync(engine.pictureFile, { force: true })),
      ...(log === undefined ? undefined : { log }),
    },
    ...(mayGrow ? { onMemoryShort: () => send({ type: 'full' }) } : undefined),
    onReplaced: (cache) => tellReplaced('index', cache),
    search: {
      openWriter: openSearch,
      languages: languagesOf(search),
      ...(embedder.kind === 'none' ? undefined : { openEmbedder: () => openPassageEmbedder(embedder, calls) }),
      mayEmbed: mayEmbed(embedder, ai),
      isEmbedderQuick: embedder.kind === 'static',
      isEager: watch,
      onReplaced: (cache) => tellReplaced('search', cache),
    },
    onCommitted: (generation) => send({ type: 'committed', generation }),
    freshness: new Freshness(freshness),
    onCaughtUp: () => send({ type: 'caughtUp' }),
    onManyRead: () => collectGarbage(),
    onIdle,
    onLongIdle: () => {
      forgetStems()
      forgetFoldedWords()
      forgetJoinedWords()
      collectGarbage()
    },
    onError: (error) => send({ type: 'error', stack: describeFailure(error) }),
  })
}

/** Opens an embedder. The built-in model runs in this thread, all others in the main thread. */
async function openPassageEmbedder(
  settings: IndexerData['settings']['embedder'],
  calls: Calls<EmbedderService>,
): Promise<Embedder> {
  if (settings.kind !== 'static') return await openRelayedEmbedder(calls)
  const { openStaticEmbedder } = await import('../embed/static-embedder.ts')
  return openStaticEmbedder(tablesFor(embedderSettings(settings), { tables: embeddingTables() }))
}

/**
 * Returns a function that starts the watcher. It also imports the watcher, because an earlier import would delay the first
 * comparison of files.
 */
function startWatching(root: string, options: WatchOptions): NonNullable<ServiceParts['watch']> {
  return (onDirty, onProblem, onNoticed) => {
    const watching = import('../vault/watch-vault.ts').then(({ watchVault }) =>
      watchVault(root, { ...options, onProblem, onNoticed }, onDirty),
    )
    return {
      ready: watching.then((watcher) => watcher.ready),
      settle: async () => await (await watching).settle(),
      close: async () => {
        await (await watching).close()
      },
    }
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof RouxError) return [error.message, error.hint].filter((part) => part !== undefined).join(' ')
  return String(error instanceof Error ? error.stack : error)
}

/** Closes the service. Errors must not keep the worker alive. */
async function closeService(service: IndexingService | undefined, send: Send): Promise<void> {
  try {
    await service?.close()
  } catch (error) {
    send({ type: 'error', stack: describeFailure(error) })
  }
}

/** Rolls back incomplete changes of a crashed process. The first request calls this function. */
function begin(service: IndexingService | undefined, writes: WriteService | undefined, send: Send): void {
  const recovery = writes === undefined ? Promise.resolve() : writes.recover()
  service?.begin()
  void recovery
    .catch((error) => {
      // Calls report these errors themselves.
      if (!isVaultMissing(error) && !(error instanceof RouxError && error.code === 'STORE_UNAVAILABLE'))
        send({ type: 'error', stack: describeFailure(error) })
    })
    .finally(() => send({ type: 'recovered' }))
}

export type IndexerService = ReturnType<typeof indexerService>

/** Returns the methods for the main thread. `onBegun` receives the change id before any file is touched. */
function indexerService(service: IndexingService, writes: WriteService) {
  return {
    reconcile: (paths: readonly string[] | undefined) => service.reconcile(paths),
    awaitUpToDate: (_: undefined) => service.awaitUpToDate(),
    // There is no timeout here, because the caller has its own.
    awaitFindable: (by: SearchReadiness) => service.awaitFindable(by, NO_TIMEOUT),
    run: (request: WriteRequest, onBegun: (changeId: string) => void) => writes.run(request, { onBegun }),
    undo: (changeId: string, onBegun: (changeId: string) => void) => writes.undo(changeId, { onBegun }),
    changes: (limit: number) => writes.changes(limit),
    outcomeOf: (changeId: string) => writes.outcomeOf(changeId),
  }
}
