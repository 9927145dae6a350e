import { parentPort, workerData } from 'node:worker_threads'
import { IndexingService } from '../indexing/service.ts'
import { openIndexWriter } from '../store/embedded/writer.ts'
import { isDamage, isUnwritable } from '../store/embedded/sqlite.ts'
import { conflictOriginal } from '../vault/conflict-copies.ts'
import { fileKind } from '../vault/file-kind.ts'
import { openVault, type VaultOptions } from '../vault/open-vault.ts'
import type { FromIndexer, IndexerData, ToIndexer } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

const { root, settings, file, memory, watch } = workerData as IndexerData
const { vault, links } = settings
const options: VaultOptions = {
  ignore: vault.ignore,
  gitignore: vault.gitignore,
  linkRoots: vault.link_roots,
  mode: vault.mode,
}
const watchKind = !watch || vault.watch === 'off' ? 'off' : vault.watch === 'polling' ? 'polling' : 'events'

const service = new IndexingService({
  openVault: () => openVault(root, options),
  openWriter: (cache) => openIndexWriter(cache === 'disk' ? { kind: 'file', path: file } : { kind: 'memory', name: memory }),
  ...(watchKind === 'off' ? {} : { watch: startWatching }),
  watchKind,
  file,
  isDamage,
  isUnwritable,
  indexer: {
    profile: links.profile,
    comments: links.comments,
    mode: vault.mode,
    kindOf: fileKind,
    isConflictCopy: (path) => conflictOriginal(path) !== undefined,
  },
  onReplaced: (cache) => send({ type: 'replaced', cache }),
  onCommitted: (generation) => send({ type: 'committed', generation }),
  onError: (error) => send({ type: 'error', stack: String(error instanceof Error ? error.stack : error) }),
})

function startWatching(
  ...[onDirty, onProblem]: Parameters<NonNullable<ConstructorParameters<typeof IndexingService>[0]['watch']>>
) {
  // chokidar is loaded when the first comparison is done: it must not delay it.
  const watching = import('../vault/watch-vault.ts').then(({ watchVault }) =>
    watchVault(root, { ...options, watch: vault.watch === 'polling' ? 'polling' : 'auto', onProblem }, onDirty),
  )
  return {
    ready: watching.then((watcher) => watcher.ready),
    close: async () => {
      await (await watching).close()
    },
  }
}

function send(message: FromIndexer): void {
  port?.postMessage(message)
}

service.onStatus((status) => send({ type: 'status', status }))

port.on('message', (message: ToIndexer) => {
  switch (message.type) {
    case 'begin':
      service.begin()
      break
    case 'damaged':
      service.replaceDamaged()
      break
    case 'reconcile':
      service.reconcile(message.paths).then(
        () => send({ type: 'reconciled', id: message.id }),
        (error) => send({ type: 'reconciled', id: message.id, error: String(error?.message ?? error) }),
      )
      break
    case 'close':
      void service.close().finally(() => {
        send({ type: 'closed' })
        port.close()
      })
      break
  }
})

service.start()
