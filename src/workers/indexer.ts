import { parentPort } from 'node:worker_threads'
import type { Embedder } from '../core/embedder.ts'
import { RouxError } from '../core/errors.ts'
import type { FindableBy } from '../core/indexing.ts'
import { isVaultMissing } from '../indexing/indexer.ts'
import { IndexingService, type ServiceParts } from '../indexing/service.ts'
import { openSearchWriter } from '../store/embedded/search/search-writer.ts'
import { isDamage, isUnwritable, loadSqlite } from '../store/embedded/sqlite.ts'
import { openIndexWriter } from '../store/embedded/writer.ts'
import { conflictOriginal } from '../vault/conflict-copies.ts'
import { fileKind } from '../vault/file-kind.ts'
import { openVault, type VaultOptions } from '../vault/open-vault.ts'
import type { WatchOptions } from '../vault/watch-vault.ts'
import { embeddingTable } from './entries.ts'
import type { FromIndexer, IndexerData, ToIndexer, WriteJob, WriteOutcome } from './messages.ts'
import { openWrites } from './open-writes.ts'
import { EmbedderRelay } from './relayed-embedder.ts'
import type { WriteService } from './write-service.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

const relay = new EmbedderRelay(send)
let service: IndexingService | undefined
let writes: WriteService | undefined
let replaced = 0

port.on('message', (message: ToIndexer) => {
  switch (message.type) {
    case 'open':
      service = openService(message.data)
      writes = openWrites(message.data, service)
      service.onStatus((status) => send({ type: 'status', status }))
      service.start()
      break
    case 'begin':
      begin()
      break
    case 'write':
      void write(message.job).then((outcome) => send({ type: 'written', id: message.id, outcome }))
      break
    case 'damaged':
      // A reader that has not heard yet that the index was replaced means the one before.
      if (message.replaced === replaced) service?.replaceDamaged()
      break
    case 'reconcile':
      reconcile(message.id, message.paths)
      break
    case 'searchDamaged':
      service?.replaceDamagedSearch()
      break
    case 'findable':
      findable(message.id, message.by)
      break
    case 'embedderOpened':
    case 'embedded':
    case 'embedderFailed':
      relay.receive(message)
      break
    case 'close':
      void Promise.resolve(service?.close()).finally(() => {
        writes?.close()
        send({ type: 'closed' })
        port.close()
      })
      break
  }
})

// While the protocol is still being spoken: what is loaded now need not be waited for later. A binding that fails is reported when used.
try {
  loadSqlite()
} catch {}

function openService({ root, settings, file, searchFile, memory, watch }: IndexerData): IndexingService {
  const { vault, links, tags, embedder } = settings
  const options: VaultOptions = {
    ignore: vault.ignore,
    gitignore: vault.gitignore,
    linkRoots: vault.link_roots,
    mode: vault.mode,
  }
  const watchKind = !watch || vault.watch === 'off' ? 'off' : vault.watch === 'polling' ? 'polling' : 'events'
  return new IndexingService({
    openVault: () => openVault(root, options),
    openWriter: (cache) => openIndexWriter(cache === 'disk' ? { kind: 'file', path: file } : { kind: 'memory', name: memory }),
    ...(watchKind === 'off'
      ? undefined
      : { watch: startWatching(root, { ...options, watch: watchKind === 'polling' ? 'polling' : 'auto' }) }),
    watchKind,
    file,
    isDamage,
    isUnwritable,
    indexer: {
      profile: links.profile,
      comments: links.comments,
      ignoredTags: { inLinkText: !tags.link_text, colors: !tags.colors },
      mode: vault.mode,
      kindOf: fileKind,
      isConflictCopy: (path) => conflictOriginal(path) !== undefined,
    },
    onReplaced: (cache) => {
      replaced++
      send({ type: 'replaced', cache })
    },
    search: {
      openWriter: (cache) =>
        openSearchWriter(cache === 'disk' ? { kind: 'file', path: searchFile } : { kind: 'memory', name: `${memory}-search` }),
      ...(embedder.kind === 'none' ? undefined : { openEmbedder: () => openPassageEmbedder(embedder) }),
      isEager: watch,
      onReplaced: (cache) => send({ type: 'searchReplaced', cache }),
    },
    onCommitted: (generation) => send({ type: 'committed', generation }),
    onRest: () => writes?.tidy(),
    onError: (error) => send({ type: 'error', stack: String(error instanceof Error ? error.stack : error) }),
  })
}

/** The built-in model computes here; what waits for a network or has a thread of its own is asked for where it is. */
async function openPassageEmbedder(settings: IndexerData['settings']['embedder']): Promise<Embedder> {
  if (settings.kind !== 'static') return await relay.open()
  const { openLazyStaticEmbedder } = await import('../embed/lazy-static-embedder.ts')
  return openLazyStaticEmbedder(embeddingTable(), settings.dimensions === 0 ? undefined : settings.dimensions)
}

/** The watcher is loaded when the first comparison is done: it must not delay it. */
function startWatching(root: string, options: WatchOptions): NonNullable<ServiceParts['watch']> {
  return (onDirty, onProblem) => {
    const watching = import('../vault/watch-vault.ts').then(({ watchVault }) =>
      watchVault(root, { ...options, onProblem }, onDirty),
    )
    return {
      ready: watching.then((watcher) => watcher.ready),
      close: async () => {
        await (await watching).close()
      },
    }
  }
}

function reconcile(id: number, paths: readonly string[] | undefined): void {
  const done = service === undefined ? Promise.reject(new Error('no vault is open')) : service.reconcile(paths)
  done.then(
    () => send({ type: 'reconciled', id }),
    (error) => send({ type: 'reconciled', id, error: String(error?.message ?? error) }),
  )
}

/** The first real request: before it is answered, what a dead process left half written is taken back. */
function begin(): void {
  service?.begin()
  const done = writes === undefined ? Promise.resolve() : writes.recover()
  void done
    .catch((error) => {
      // A vault that is missing is said by every answer.
      if (!isVaultMissing(error)) send({ type: 'error', stack: String(error instanceof Error ? error.stack : error) })
    })
    .finally(() => send({ type: 'recovered' }))
}

async function write(job: WriteJob): Promise<WriteOutcome> {
  try {
    if (writes === undefined) throw new Error('no vault is open')
    switch (job.kind) {
      case 'run':
        return { value: await writes.run(job.request) }
      case 'undo':
        return { value: await writes.undo(job.changeId) }
      case 'changes':
        return { value: await writes.changes(job.limit) }
    }
  } catch (error) {
    if (!(error instanceof RouxError)) return { failure: String(error instanceof Error ? error.stack : error) }
    const { code, message, hint, candidates } = error
    return { error: { code, message, hint, candidates } }
  }
}

function findable(id: number, by: FindableBy): void {
  const done = service === undefined ? Promise.resolve(false) : service.findable(by, NEVER)
  void done.finally(() => send({ type: 'found', id }))
}

/** The longest time that a timer can be set to, ms: who asked has a limit of its own. */
const NEVER = 2 ** 31 - 1

function send(message: FromIndexer): void {
  port?.postMessage(message)
}
