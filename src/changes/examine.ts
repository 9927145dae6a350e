import { hash as digest } from 'node:crypto'
import type { FileChange } from '../core/changes.ts'
import { invalid, RouxError } from '../core/errors.ts'
import { foldId } from '../core/ids.ts'
import { folderOf, isWithin, withParents } from '../core/paths.ts'
import { conflict, type Mismatch, mismatch } from './conflict.ts'
import { type Entry, finalPaths, inOrder } from './entry.ts'
import type { ChangeFiles, FileStamp } from './file-system.ts'
import { PathChecks, type Refusal, type Room } from './path-checks.ts'
import { inTrash, quote, TRASH } from './path-rules.ts'

/** An intended change. `remove` occurs only when a `create` is undone. */
export type Intent = FileChange | { readonly kind: 'remove'; readonly path: string; readonly before: string }

export interface Examined {
  readonly entries: readonly Entry[]
  /** The contents before and after the change, by hash. */
  readonly contents: ReadonlyMap<string, Uint8Array>
  /** The stamps of the files when their bytes were read. */
  readonly stamps: ReadonlyMap<string, FileStamp>
}

export interface ExamineOptions {
  readonly root: string
  readonly fs: ChangeFiles
  readonly refusal: Refusal
  /** True for an undo. The rules for new names do not apply to restored names. */
  readonly restores?: boolean
  knownContent(hash: string): Uint8Array | undefined
}

/** Runs all checks that are possible before the first byte is written. @throws RouxError like `Changes.apply` */
export function examine(intents: readonly Intent[], options: ExamineOptions): Examined {
  requireOneRoleEach(intents, options.restores === true ? (path) => path : foldId)
  const examination = new Examination(options)
  for (const intent of intents) examination.add(intent)
  return examination.result()
}

class Examination {
  readonly #options: ExamineOptions
  readonly #pathChecks: PathChecks
  readonly #entries: Entry[] = []
  readonly #folders = new Map<string, string>()
  readonly #contents = new Map<string, Uint8Array>()
  readonly #stamps = new Map<string, FileStamp>()
  readonly #mismatches: Mismatch[] = []

  constructor(options: ExamineOptions) {
    this.#options = options
    this.#pathChecks = new PathChecks(options.root, options.fs, options.refusal)
  }

  add(intent: Intent): void {
    switch (intent.kind) {
      case 'create':
        this.#create(intent)
        break
      case 'replace':
        this.#replace(intent)
        break
      case 'remove':
        this.#remove(intent)
        break
      case 'move':
        if (intent.before === undefined && this.#pathChecks.find(intent.from)?.kind === 'folder') this.#moveFolder(intent)
        else this.#move(intent)
        break
      case 'makeFolder':
        if (this.#pathChecks.find(intent.path)?.kind === 'folder') break
        this.#makeFolders([...this.#pathChecks.requireRoom(intent.path, this.#roomFor(intent.path)), intent.path])
        break
      case 'removeFolder':
        if (this.#pathChecks.find(intent.path)?.kind === 'folder') this.#entries.push({ kind: 'removeFolder', path: intent.path })
        break
    }
  }

  /** Returns the result. @throws RouxError `CONFLICT` if files are not in the expected state */
  result(): Examined {
    if (this.#mismatches.length > 0) throw conflict(this.#mismatches)
    return { entries: this.#withoutFullFolders(inOrder(this.#entries)), contents: this.#contents, stamps: this.#stamps }
  }

  /** Leaves out folders that would not be empty. `entries` must be in order, so inner folders come first. */
  #withoutFullFolders(entries: readonly Entry[]): readonly Entry[] {
    const { root, fs } = this.#options
    const leaving = new Set(entries.flatMap(({ kind, path }) => (LEAVES.has(kind) ? [path] : [])))
    const arriving = entries.flatMap((entry) => {
      if ('to' in entry) return [entry.to]
      return entry.kind === 'create' || entry.kind === 'makeFolder' ? [entry.path] : []
    })
    return entries.filter(({ kind, path }) => {
      if (kind !== 'removeFolder') return true
      const stays = fs.readdir(`${root}/${path}`).some((name) => !leaving.has(`${path}/${name}`))
      if (stays || arriving.some((other) => isWithin(other, path))) return false
      leaving.add(path)
      return true
    })
  }

  #create({ path, bytes, mode }: Extract<Intent, { kind: 'create' }>): void {
    this.#makeFolders(this.#pathChecks.requireRoom(path, this.#roomFor(path)))
    this.#entries.push({ kind: 'create', path, after: this.#keep(bytes), mode })
  }

  #replace({ path, before, bytes }: Extract<Intent, { kind: 'replace' }>): void {
    const stamp = this.#requireFile(path, before)
    if (stamp === undefined || !this.#isAsExpected(path, before, true)) return
    if ((stamp.mode & 0o200) === 0) {
      throw new RouxError('PERMISSION_DENIED', `${quote(path)} is read-only.`, { hint: 'Make it writable first.' })
    }
    const after = this.#keep(bytes)
    if (after !== before) this.#entries.push({ kind: 'replace', path, before, after, mode: stamp.mode })
  }

  #remove({ path, before }: Extract<Intent, { kind: 'remove' }>): void {
    const stamp = this.#requireFile(path, before)
    if (stamp === undefined || !this.#isAsExpected(path, before, true)) return
    this.#entries.push({ kind: 'remove', path, before, mode: stamp.mode })
  }

  #move({ from, to, before }: Extract<Intent, { kind: 'move' }>): void {
    const stamp = this.#requireFile(from, before)
    this.#makeFolders(this.#pathChecks.requireRoom(to, this.#roomFor(to, from)))
    if (stamp === undefined || (before !== undefined && !this.#isAsExpected(from, before, false))) return
    const { root, fs } = this.#options
    this.#entries.push({ kind: 'move', path: from, to, before: before ?? fs.hash(`${root}/${from}`) })
  }

  #moveFolder({ from, to }: Extract<Intent, { kind: 'move' }>): void {
    if (to.startsWith(`${from}/`)) throw invalid(`${quote(from)} cannot be moved into itself.`)
    this.#pathChecks.requireWritable(folderOf(from))
    this.#makeFolders(this.#pathChecks.requireRoom(to, this.#roomFor(to, from)))
    this.#entries.push({ kind: 'moveFolder', path: from, to })
  }

  #roomFor(path: string, from?: string): Room {
    const isReturn = this.#options.restores === true || inTrash(path) || (from !== undefined && inTrash(from))
    return { isReturn, leaving: from !== undefined && isRespelling(from, path) ? from : undefined }
  }

  #makeFolders(paths: readonly string[]): void {
    for (const path of paths) {
      const twin = this.#folders.get(foldId(path))
      if (twin === path) continue
      if (twin !== undefined && this.#options.restores !== true) {
        throw new RouxError('NODE_EXISTS', `${quote(path)} differs only in case or the encoding of accents from ${quote(twin)}.`)
      }
      this.#folders.set(foldId(path), path)
      this.#entries.push({ kind: 'makeFolder', path })
    }
  }

  /** Records a mismatch if the file no longer exists. */
  #requireFile(path: string, expected: string | undefined): FileStamp | undefined {
    const stamp = this.#pathChecks.find(path)
    if (stamp?.kind === 'file') {
      this.#pathChecks.requireWritable(folderOf(path))
      this.#stamps.set(path, stamp)
      return stamp
    }
    if (stamp !== undefined) throw invalid(`${quote(path)} is not a file.`)
    if (expected === undefined) throw new RouxError('NODE_NOT_FOUND', `There is no ${quote(path)}.`)
    this.#mismatches.push({ path, expected, actual: undefined })
    return undefined
  }

  #isAsExpected(path: string, expected: string, mayStay: boolean): boolean {
    const { root, fs, knownContent } = this.#options
    const absolute = `${root}/${path}`
    const bytes = mayStay ? fs.read(absolute) : undefined
    const actual = bytes === undefined ? fs.hash(absolute) : digest('sha256', bytes, 'hex')
    if (actual !== expected) {
      this.#mismatches.push(
        mismatch({ path, expected, actual }, { expected: knownContent(expected), actual: bytes ?? fs.read(absolute) }),
      )
    } else if (bytes !== undefined) this.#contents.set(actual, bytes)
    return actual === expected
  }

  #keep(bytes: Uint8Array): string {
    const hash = digest('sha256', bytes, 'hex')
    this.#contents.set(hash, bytes)
    return hash
  }
}

const LEAVES: ReadonlySet<Entry['kind']> = new Set(['move', 'moveFolder', 'remove'])

export function isRespelling(from: string, to: string): boolean {
  return from !== to && folderOf(from) === folderOf(to) && foldId(from) === foldId(to)
}

/**
 * Checks that each path is used at most once as a source and once as a destination. Otherwise, a partly applied change would be
 * ambiguous. `keyOf` returns the same key for names that cannot coexist.
 */
function requireOneRoleEach(intents: readonly Intent[], keyOf: (path: string) => string): void {
  const sources = new Set<string>()
  const destinations = new Set<string>()
  const replaced = new Set<string>()
  const claim = (claimed: Set<string>, path: string, key = path) => {
    if (claimed.has(key)) throw invalid(`${quote(path)} is changed twice in one request.`, 'Make two separate requests.')
    claimed.add(key)
  }
  for (const intent of intents) {
    if (intent.kind === 'move') {
      if (intent.from === intent.to) throw invalid(`${quote(intent.from)} cannot be moved onto itself.`)
      claim(sources, intent.from)
      claim(destinations, intent.to, keyOf(intent.to))
    } else if (intent.kind === 'create') claim(destinations, intent.path, keyOf(intent.path))
    else if (intent.kind === 'remove') claim(sources, intent.path)
    else if (intent.kind === 'replace') claim(replaced, intent.path)
  }
  for (const intent of intents) {
    if (intent.kind === 'makeFolder' && destinations.has(keyOf(intent.path))) claim(destinations, intent.path, keyOf(intent.path))
    else if (!intent.kind.endsWith('Folder') && [...placesOf(intent)].includes(TRASH)) {
      throw new RouxError('PERMISSION_DENIED', `${quote(TRASH)} itself cannot be changed.`, {
        hint: 'Specify a file or folder inside it.',
      })
    }
  }
  const clash = intents.find((intent) => intent.kind === 'remove' && replaced.has(intent.path))
  if (clash?.kind === 'remove') claim(new Set([clash.path]), clash.path)
  requireNotMoved(intents)
}

/** Rejects changes inside a folder that moves as a whole. */
function requireNotMoved(intents: readonly Intent[]): void {
  const moves = intents.filter((intent) => intent.kind === 'move')
  const above = new Set(moves.flatMap(({ from, to }) => [from, to]))
  for (const place of intents.flatMap((intent) => (intent.kind === 'replace' ? [] : placesOf(intent)))) {
    for (const folder of withParents(folderOf(place))) {
      if (!above.has(folder)) continue
      throw invalid(`${quote(place)} is in ${quote(folder)}, which is moved in the same change.`, 'Make two separate requests.')
    }
  }
}

function placesOf(intent: Intent): readonly string[] {
  return intent.kind === 'move' ? [intent.from, intent.to] : [intent.path]
}

/** The changes expect the recorded state, so later edits are not overwritten. */
export function takeBack(entries: readonly Entry[], content: (hash: string) => Uint8Array): readonly Intent[] {
  const finalPath = finalPaths(entries)
  const replaced = new Map(entries.flatMap((entry) => (entry.kind === 'replace' ? [[entry.path, entry.after] as const] : [])))
  const inverse = (entry: Entry): Intent => {
    switch (entry.kind) {
      case 'makeFolder':
        return { kind: 'removeFolder', path: entry.path }
      case 'replace':
        return { kind: 'replace', path: finalPath(entry.path), before: entry.after, bytes: content(entry.before) }
      case 'create':
        return { kind: 'remove', path: entry.path, before: entry.after }
      case 'move':
        return { kind: 'move', from: entry.to, to: entry.path, before: replaced.get(entry.path) ?? entry.before }
      case 'remove':
        return { kind: 'create', path: entry.path, bytes: content(entry.before), mode: entry.mode }
      case 'moveFolder':
        return { kind: 'move', from: entry.to, to: entry.path, before: undefined }
      case 'removeFolder':
        return { kind: 'makeFolder', path: entry.path }
    }
  }
  return entries.map(inverse)
}
