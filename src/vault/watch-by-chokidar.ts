import type { Stats } from 'node:fs'
import { basename } from 'node:path'
import { asPosix, diskFileSystem } from './file-system.ts'
import { openIgnoreRules } from './ignore-rules.ts'
import type { VaultOptions } from './open-vault.ts'
import { openOutsideLinks } from './outside-links.ts'
import { CONFIG_FOLDER, isExhaustion, reportRuleChange, type WatchEngine, type WatchSink } from './watch-engine.ts'

/**
 * Watches a vault on platforms where a watch follows the path rather than the inode. Only folders are watched, and their raw
 * events report changed files.
 */
export function watchByChokidar(root: string, options: VaultOptions, sink: WatchSink): WatchEngine {
  const stop = new AbortController()
  const opening = openChokidar(root, options, sink).catch((error: unknown) => {
    sink.exhausted(error)
    return undefined
  })
  const isClosed = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))
  return {
    ready: Promise.race([opening.then((watcher) => watcher?.ready), isClosed]),
    close: async () => {
      stop.abort()
      await (await opening)?.close()
    },
  }
}

/** Starts chokidar. The promise resolves before the initial scan, which ends with chokidar's `ready` event. */
async function openChokidar(root: string, options: VaultOptions, sink: WatchSink): Promise<WatchEngine> {
  const { watch } = await import('chokidar')
  const watcher = watch(root, {
    ignored: ignoredBy(root, options),
    ignoreInitial: true,
    ignorePermissionErrors: true,
    followSymlinks: options.linkRoots.length > 0,
    // These options are off, because they would only delay events of files.
    atomic: false,
    awaitWriteFinish: false,
  })
  const relative = relativeTo(root)
  let isReady = false

  watcher.on('raw', (event, name, details) => {
    if (!isReady) return
    const folder = relative(String((details as { watchedPath?: string }).watchedPath ?? root))
    if (!name) return sink.folder(folder)
    if (reportRuleChange(folder, asPosix(name, diskFileSystem), sink, options.gitignore)) return
    const path = folder === '' ? asPosix(name, diskFileSystem) : `${folder}/${asPosix(name, diskFileSystem)}`
    // The event for a deleted folder names the folder as its own child.
    if (event === 'rename' && name === basename(folder)) sink.folder(folder)
    sink.file(path)
  })
  watcher.on('addDir', (path) => {
    if (relative(path) === CONFIG_FOLDER) return
    sink.folder(relative(path))
    // chokidar reports a folder before watching it, so check again for changes in between.
    for (const delay of RECHECK_DELAYS) setTimeout(() => sink.folder(relative(path)), delay).unref()
  })
  watcher.on('unlinkDir', (path) => (relative(path) === '' ? sink.lost() : sink.folder(relative(path))))
  watcher.on('error', (error) => {
    if (isExhaustion(error)) sink.exhausted(error)
  })
  const ready = new Promise<void>((resolve) => {
    watcher.on('ready', () => {
      isReady = true
      resolve()
    })
  })
  return { ready, close: () => watcher.close() }
}

const RECHECK_DELAYS = [200, 1500]

function ignoredBy(root: string, options: VaultOptions): (path: string, stats?: Stats) => boolean {
  const relative = relativeTo(root)
  const rules = openIgnoreRules(root, options, diskFileSystem)
  const links = openOutsideLinks(root, options.linkRoots, diskFileSystem)
  return (reportedPath, stats) => {
    const path = relative(reportedPath)
    if (path === '' || path === CONFIG_FOLDER) return false
    if (stats?.isFile() || rules.hides(path, true)) return true
    return stats?.isSymbolicLink() ? links.follow(path, reportedPath).kind !== 'folder' : false
  }
}

function relativeTo(root: string): (path: string) => string {
  const { length } = asPosix(root, diskFileSystem)
  return (path) => asPosix(path, diskFileSystem).slice(length).replace(/^\/+/, '')
}
