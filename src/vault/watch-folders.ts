import { type FSWatcher, lstatSync, readFileSync, watch } from 'node:fs'
import { basename } from 'node:path'
import { errorCode } from '../core/errors.ts'
import { folderOf, inFolder } from '../core/paths.ts'
import { quietly } from '../core/quietly.ts'
import { withResolvers } from '../core/waiting.ts'
import { diskFileSystem, isAbsence, realPathOf } from './file-system.ts'
import { type FolderRules, openIgnoreRules } from './ignore-rules.ts'
import type { VaultOptions } from './open-vault.ts'
import { openOutsideLinks } from './outside-links.ts'
import { CONFIG_FOLDER, isExhaustion, reportRuleChange, type WatchEngine, type WatchSink } from './watch-engine.ts'

interface Watched {
  readonly watcher: FSWatcher
  readonly absolute: string
  /** The inode distinguishes the folder from a successor with the same name. */
  readonly inode: number
  readonly rules: FolderRules
  readonly below: Set<string>
}

interface Request {
  readonly path: string
  readonly absolute: string
  readonly rules: FolderRules
}

// Maximum time slice for scanning, in milliseconds.
const SLICE = 10

/**
 * An engine with one inotify watch per folder. Watches start before the folder is read, so no change is missed. chokidar 5 misses
 * folders that are quickly deleted and recreated, and stats every file after an event.
 */
export class FolderWatches implements WatchEngine {
  readonly #root: string
  readonly #options: VaultOptions
  readonly #sink: WatchSink
  readonly #links
  readonly #watched = new Map<string, Watched>()
  /** The unreadable folders. They are watched once their permissions change. */
  readonly #unreadableFolders = new Map<string, Request>()
  readonly #requests: Request[] = []
  readonly #overflow = openOverflowGuess()
  #isReady = false
  #isDraining = false
  #isClosed = false
  readonly #opening = withResolvers<void>()
  readonly ready = this.#opening.promise

  constructor(root: string, options: VaultOptions, sink: WatchSink) {
    this.#root = root
    this.#options = options
    this.#sink = sink
    this.#links = openOutsideLinks(root, options.linkRoots, diskFileSystem)
    const rules = openIgnoreRules(root, options, diskFileSystem)
    this.#request({ path: '', absolute: root, rules: rules.atRoot() })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#requests.length = 0
    for (const { watcher } of this.#watched.values()) watcher.close()
    this.#watched.clear()
    this.#opening.resolve()
  }

  /** Waits for one turn of the event loop, which reads the whole queue. The kernel queues events before a change completes. */
  async settle(): Promise<boolean> {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    // If links may be followed, they may lead to files that are not watched.
    return this.#isReady && !this.#isDraining && this.#options.linkRoots.length === 0
  }

  #request(request: Request): void {
    this.#requests.push(request)
    if (this.#isDraining) return
    this.#isDraining = true
    setImmediate(() => this.#drain())
  }

  #drain(): void {
    const end = performance.now() + SLICE
    for (let next = this.#requests.shift(); next; next = this.#requests.shift()) {
      this.#attach(next)
      if (performance.now() > end && this.#requests.length > 0) {
        setImmediate(() => this.#drain())
        return
      }
    }
    this.#isDraining = false
    this.#isReady = true
    this.#opening.resolve()
  }

  #attach(request: Request): void {
    // If the parent is not watched, it requests the folder again when it returns.
    if (this.#isClosed || this.#watched.has(request.path) || !this.#isWithin(request.path)) return
    try {
      const watched = this.#open(request)
      if (!watched) {
        if (request.path === '') this.#sink.lost()
        return
      }
      this.#watched.set(request.path, watched)
      if (request.path !== '') this.#watched.get(folderOf(request.path))?.below.add(request.path)
      this.#requestBelow(request)
      // The folder is reported after its watch starts, or changes in between would be lost.
      if (this.#isReady) this.#reportFolder(request.path)
    } catch (error) {
      this.#fail(request, error)
    }
  }

  #reportFolder(path: string): void {
    if (path === CONFIG_FOLDER) this.#sink.all()
    else this.#sink.folder(path)
  }

  #isWithin(path: string): boolean {
    return path === '' || this.#watched.has(folderOf(path))
  }

  #open(request: Request): Watched | undefined {
    const { path, absolute, rules } = request
    const stat = lstatSync(absolute, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) return undefined
    const watcher = watch(absolute)
    watcher.on('change', (event, name) => this.#onEvent(path, event, name))
    watcher.on('error', (error) => this.#fail(request, error))
    return { watcher, absolute, inode: stat.ino, rules, below: new Set() }
  }

  #requestBelow({ path, absolute, rules }: Request): void {
    if (path === CONFIG_FOLDER) return
    for (const entry of diskFileSystem.readdirSync(absolute, { withFileTypes: true })) {
      if (entry.isFile()) continue
      const request = this.#requestFor(path, entry.name, { absolute, rules })
      if (!request) continue
      if (entry.isDirectory()) this.#request(request)
      else if (entry.isSymbolicLink()) this.#requestLinked(request)
    }
  }

  #requestLinked(request: Request): void {
    // Several vaults may share one configuration folder through a symbolic link.
    if (request.path === CONFIG_FOLDER) this.#request({ ...request, absolute: realPathOf(request.absolute) ?? request.absolute })
    else if (this.#options.linkRoots.length > 0) {
      const link = this.#links.follow(request.path, request.absolute)
      if (link.kind === 'folder') this.#request({ ...request, absolute: link.target })
    }
  }

  #requestFor(
    folder: string,
    name: string,
    above: { readonly absolute: string; readonly rules: FolderRules },
  ): Request | undefined {
    const isConfig = folder === '' && name === CONFIG_FOLDER
    if (!isConfig && above.rules.hides(name, true)) return undefined
    return { path: inFolder(folder, name), absolute: `${above.absolute}/${name}`, rules: above.rules.enter(name) }
  }

  #fail(request: Request, error: unknown): void {
    if (this.#isClosed) return
    if (request.path === '' && isAbsence(error)) this.#sink.lost()
    else if (request.path === '' || isExhaustion(error)) this.#sink.exhausted(error)
    else {
      if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') this.#unreadableFolders.set(request.path, request)
      this.#detach(request.path)
    }
  }

  #detach(path: string): boolean {
    const watched = this.#watched.get(path)
    if (!watched) return false
    for (const below of watched.below) this.#detach(below)
    watched.watcher.close()
    this.#watched.delete(path)
    this.#watched.get(folderOf(path))?.below.delete(path)
    return true
  }

  #onEvent(folder: string, event: string, eventName: string | Buffer | null): void {
    const name = eventName?.toString() ?? ''
    if (this.#isClosed || !this.#watched.has(folder)) return
    if (this.#overflow()) this.#sink.stale()
    else if (name === '') this.#sink.folder(folder)
    else this.#onName(folder, event, name)
  }

  #onName(folder: string, event: string, name: string): void {
    // The event for a deleted folder names the folder as its own child, but a real child may have the same name.
    if (event === 'rename') this.#renewIf(folder, name)
    const isDone = reportRuleChange(folder, name, this.#sink, this.#options.gitignore)
    const watched = this.#watched.get(folder)
    if (isDone || !watched) return
    if (event === 'rename') this.#check(watched, folder, name)
    else this.#onChange(inFolder(folder, name))
    if (!watched.rules.hides(name, false)) this.#sink.file(inFolder(folder, name))
  }

  #onChange(path: string): void {
    const shut = this.#unreadableFolders.get(path)
    if (shut) {
      this.#unreadableFolders.delete(path)
      this.#request(shut)
    }
    if (this.#watched.has(path)) this.#reportFolder(path)
  }

  #check(above: Watched, folder: string, name: string): void {
    const request = this.#requestFor(folder, name, above)
    if (!request) return
    const watched = this.#watched.get(request.path)
    const stat = statOf(request.absolute)
    // The links to follow depend on each other, so scan everything again.
    const isLinked = stat?.isSymbolicLink() || (watched && watched.absolute !== request.absolute)
    if (isLinked && this.#options.linkRoots.length > 0) this.#sink.stale()
    else if (!watched || !stat?.isDirectory() || stat.ino !== watched.inode) {
      if (this.#detach(request.path)) this.#reportFolder(request.path)
      this.#unreadableFolders.delete(request.path)
      if (stat?.isDirectory()) this.#request(request)
      else if (stat?.isSymbolicLink()) this.#requestLinked(request)
    }
  }

  /** Renews a watch, because the old one may be dead even if the folder's name and inode are the same. */
  #renewIf(path: string, name: string): void {
    const watched = this.#watched.get(path)
    if (!watched || name !== basename(watched.absolute)) return
    if (path === '' && statOf(this.#root)?.ino !== watched.inode) this.#sink.lost()
    else {
      this.#detach(path)
      this.#reportFolder(path)
      this.#request({ path, absolute: watched.absolute, rules: watched.rules })
    }
  }
}

function statOf(path: string) {
  return quietly(() => lstatSync(path, { throwIfNoEntry: false }))
}

/** Guesses whether the kernel dropped events. libuv hides `IN_Q_OVERFLOW`, so count the events in one turn of the event loop. */
function openOverflowGuess(): () => boolean {
  const queueLength = quietly(() => Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))) || 16384
  const limit = queueLength / 2
  let count = 0
  return () => {
    if (count === 0) {
      setImmediate(() => {
        count = 0
      })
    }
    count += 1
    return count >= limit
  }
}
