import { isUtf8 } from 'node:buffer'
import { hash as digest, randomBytes } from 'node:crypto'
import { MemoryShortError, RouxError } from '../core/errors.ts'
import { toVaultPath, type VaultPath } from '../core/ids.ts'
import type { FileRecord, IndexWriter, KnownFile, LinkStyle, Outline } from '../core/index-writer.ts'
import type { GraphChanges, GraphLogWriter } from '../core/insight/graph-changes.ts'
import type { Flavor, IgnoredTags, Mode, Note } from '../core/note.ts'
import { folderOf, isWithin } from '../core/paths.ts'
import {
  type FileKind,
  type FileStat,
  isSameStat,
  type ListedFile,
  type Listing,
  type OutsideLink,
  type Vault,
} from '../core/vault.ts'
import { changesBetween } from '../graph/changes/changes-between.ts'
import type { NameIndex } from '../links/names.ts'
import { subpathTest } from '../links/subpath.ts'
import { parseCanvas } from '../markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../markdown/parse-note.ts'
import { type Described, describeFailed, describeNote, describeUnread, type FileFacts } from './describe-file.ts'
import { IdTable } from './id-table.ts'
import { checkSubpaths, LinkTable, type NameChanges, type Part } from './link-table.ts'
import type { RecentBytes } from './search-document.ts'

export type Scope = { readonly all: true } | Parts

interface Parts {
  readonly all: false
  readonly folders: readonly { readonly path: string; readonly recursive: boolean }[]
  readonly files: readonly string[]
  /** The moved files, which keep their creation times. */
  readonly moves?: readonly Move[]
  readonly change?: string
}

export interface Move {
  readonly from: string
  readonly to: string
}

export interface IndexerOptions {
  readonly profile: Flavor['profile']
  readonly comments: boolean
  readonly ignoredTags?: IgnoredTags
  /** The mode of the vault. `auto` stands for that of the marker folder, or else of the more common kind of link. */
  readonly mode: 'auto' | Mode
  readonly kindOf: (path: string, mode: Mode) => FileKind
  readonly isConflictCopy: (path: string) => boolean
  readonly permission: Promise<void>
  readonly onProgress: (done: number, total: number) => void
  readonly isMemoryShort?: () => boolean
  readonly log?: GraphLogWriter
  /** A callback for files that have not changed, but whose last change is now another day. */
  readonly onDaysChanged?: () => void
  /** If true, the text of notes is stored, for servers without the folder. */
  readonly keepsTexts?: boolean
  /** A cache for the bytes of notes, so search need not read them again. */
  readonly recent?: Pick<RecentBytes, 'keep'>
}

export interface ReconcileResult {
  readonly generation: number
  readonly changed: number
  readonly mode: Mode
}

export interface IndexView {
  readonly names: NameIndex
  /** Returns files with links that mention the folded name. */
  readonly sourcesOf: (name: string) => Iterable<number>
  readonly flavor: Flavor
  readonly known: ReadonlyMap<string, KnownFile>
  /** The first unused key. All higher ones are unused, too. */
  readonly nextKey: number
}

/** A scan of more files is committed in slices, which bounds memory and readers' pauses. */
const WHOLE_FILES = 10_000
const SLICE_FILES = 2_500
const SLICE_BYTES = 64 << 20
const PUT_FILES = 2_500
/** A first build that takes more than this many milliseconds is committed in slices, so callers get partial results. */
const SLICE_MS = 4_000
/** Memory is checked only while at least this many files remain to be read. */
const MANY_FILES = 1_000
/** A file read within this many milliseconds of an edit is read again, because another edit may not change the stat. */
const RACY_MS = 40

/** The indexer, which is the only writer of the index. Calls of `reconcile` must not overlap. */
export class Indexer {
  readonly #vault: Vault
  readonly #writer: IndexWriter
  readonly #options: IndexerOptions
  #generation = -1
  #files = new Map<string, KnownFile>()
  #ids = new IdTable(this.#files)
  #freeKeys: number[] = []
  #nextKey = 0
  /** The keys of uncommitted files, to which links may already refer. */
  readonly #reserved = new Map<string, number>()
  #style: LinkStyle = { wikilinks: 0, relativeLinks: 0 }
  #outsideLinks: readonly OutsideLink[] = []
  #unlisted: Listing['unreadable'] = []
  #isComplete = false
  #lineage: string | undefined
  #paths: (string | undefined)[] = []
  /** True once the current generation is marked in the log. */
  #isGenerationLogged = false
  #mode: Mode = 'obsidian'
  #links: LinkTable | undefined
  /** The links to headings and blocks of unread files. They are undefined if another process began the index. */
  #uncheckedSubpaths: Map<number, { readonly source: number; readonly subpath: string }[]> | undefined

  constructor(vault: Vault, writer: IndexWriter, options: IndexerOptions) {
    this.#vault = vault
    this.#writer = writer
    this.#options = options
  }

  get mode(): Mode {
    return this.#mode
  }

  get unlisted(): Listing['unreadable'] {
    return this.#unlisted
  }

  /** Updates the index. @throws RouxError `VAULT_NOT_FOUND` */
  async reconcile(scope: Scope): Promise<ReconcileResult> {
    for (;;) {
      if ((await this.#writer.state()).generation !== this.#generation) await this.#recall()
      let outcome: ReconcileResult | undefined
      try {
        // Everything is compared, too, if the index was deleted while the server was running.
        outcome = await this.#attempt(this.#isComplete ? scope : { all: true })
      } finally {
        // The commit failed or another process won, so the cached state is outdated.
        if (outcome === undefined) this.#generation = -1
      }
      if (outcome === undefined) continue
      this.#markOnce()
      return outcome
    }
  }

  /** Marks the current generation once, because the last commits may be missing from the log after a crash. */
  #markOnce(): void {
    const [log, lineage, generation] = [this.#options.log, this.#lineage, this.#generation]
    if (this.#isGenerationLogged || log === undefined || lineage === undefined || !this.#isComplete) return
    this.#isGenerationLogged = true
    void this.#options.permission.then(() => log.mark(lineage, generation))
  }

  /** Returns true if the file matches the index, for example after Roux's own writes. */
  isCurrent(path: string): boolean {
    const file = this.#vault.stat(toVaultPath(path))
    const indexed = this.#files.get(path)
    if (file === undefined || indexed === undefined) return file === indexed
    return file.stat.mtime === indexed.stat.mtime && file.stat.size === indexed.stat.size && file.excluded === indexed.excluded
  }

  /** Loads data for resolving links in parts, so the thread can do other work. */
  async loadAhead(): Promise<void> {
    while (await this.#links?.loadPart()) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Opens a view of the index, which is valid until the next `reconcile`. */
  async openView(): Promise<IndexView> {
    if ((await this.#writer.state()).generation !== this.#generation) await this.#recall()
    const links = this.#links ?? this.#newLinks()
    return { ...(await links.look()), flavor: links.flavor, known: this.#files, nextKey: this.#nextKey + this.#reserved.size }
  }

  async #recall(): Promise<void> {
    const state = await this.#writer.state()
    const files = new Map<string, KnownFile>()
    const paths: (string | undefined)[] = []
    let [wikilinks, relativeLinks, nextKey] = [0, 0, state.nextKey]
    for await (const part of this.#writer.files()) {
      for (const file of part) {
        files.set(file.path, file)
        paths[file.key] = file.path
        wikilinks += file.style.wikilinks
        relativeLinks += file.style.relativeLinks
        nextKey = Math.max(nextKey, file.key + 1)
      }
    }
    this.#generation = state.generation
    this.#files = files
    this.#ids = new IdTable(files)
    this.#style = { wikilinks, relativeLinks }
    this.#outsideLinks = state.outside
    this.#isComplete = state.complete
    this.#lineage = state.lineage
    this.#paths = paths
    this.#nextKey = nextKey
    // An incomplete index has no free keys, because uncommitted files may use them.
    this.#freeKeys = state.complete ? unusedKeys(files.values(), nextKey) : []
    this.#reserved.clear()
    this.#mode = (state.mode as Mode | undefined) ?? this.#decideMode(this.#style)
    this.#links = this.#newLinks()
  }

  #newLinks(): LinkTable {
    const { profile, comments } = this.#options
    const links = new LinkTable(this.#writer, { profile, comments, mode: this.#mode })
    this.#uncheckedSubpaths = this.#generation === 0 ? new Map() : undefined
    if (this.#generation === 0) links.startEmpty()
    return links
  }

  #decideMode(style: LinkStyle): Mode {
    if (this.#options.profile === 'obsidian') return 'obsidian'
    if (this.#options.mode !== 'auto') return this.#options.mode
    return this.#vault.marker ?? (style.relativeLinks > style.wikilinks ? 'docs' : 'obsidian')
  }

  async #attempt(scope: Scope): Promise<ReconcileResult | undefined> {
    const plan = this.#plan(scope)
    let changed = plan.gone.length
    let total = plan.read.length
    let doneCount = 0
    let first = true
    const isWhole = plan.read.length <= WHOLE_FILES
    this.#options.onProgress(0, total)
    while (first || plan.read.length > 0) {
      if (plan.read.length >= MANY_FILES && this.#options.isMemoryShort?.() === true)
        throw new MemoryShortError(`after ${plan.unchanged.length + doneCount} of ${plan.unchanged.length + total} files`)
      const slice = this.#readSlice(plan.read, isWhole ? WHOLE_FILES : SLICE_FILES, (count) =>
        this.#options.onProgress(doneCount + count, total),
      )
      const rest = plan.read.slice(slice.count)
      const deleted = [...(first ? plan.gone : []), ...slice.missingFiles]
      const style = this.#styleWith(slice.facts, deleted)
      const mode = rest.length === 0 || this.#generation === 0 ? this.#decideMode(style) : this.#mode
      if (mode !== this.#mode) {
        // All notes are read again, because the mode affects how they are parsed.
        this.#mode = mode
        this.#links = this.#newLinks()
        const all = this.#plan({ all: true })
        Object.assign(plan, all, { read: [...all.read, ...all.unchanged], forced: 'all' })
        total = doneCount + plan.read.length
        continue
      }
      plan.read = rest
      doneCount += slice.count
      const facts = await this.#leaveUnchanged(slice.facts, plan.forced)
      changed += facts.put.length
      const expected = first ? rest.filter((file) => !this.#files.has(file.path)) : []
      const origin = scope.all ? {} : scope
      const changes = { ...facts, expected, gone: deleted, outside: plan.outside, complete: rest.length === 0, origin }
      const committed = await this.#commit(changes)
      if (!committed) return undefined
      first = false
    }
    return { generation: this.#generation, changed, mode: this.#mode }
  }

  #styleWith(facts: readonly Pick<FileFacts, 'path' | 'style'>[], deleted: readonly KnownFile[]): LinkStyle {
    let { wikilinks, relativeLinks } = this.#style
    for (const { path, style } of facts) {
      const before = this.#files.get(path)?.style
      wikilinks += style.wikilinks - (before?.wikilinks ?? 0)
      relativeLinks += style.relativeLinks - (before?.relativeLinks ?? 0)
    }
    for (const { style } of deleted) {
      wikilinks -= style.wikilinks
      relativeLinks -= style.relativeLinks
    }
    return { wikilinks, relativeLinks }
  }

  #plan(scope: Scope): Plan {
    if (scope.all) {
      const listing = this.#vault.list()
      this.#unlisted = listing.unreadable
      return this.#compare(listing, [...this.#files.keys()], new Set(), listing.outside)
    }
    const forced = new Set<string>()
    const listings: Listing[] = scope.folders.map((folder) => this.#vault.list(folder))
    const within = scope.folders.length === 0 ? [] : [...this.#files.keys()].filter(containment(scope.folders))
    for (const path of scope.files) {
      const file = this.#vault.stat(path as VaultPath)
      forced.add(path)
      if (file !== undefined) listings.push({ files: [file], outside: [], unreadable: [] })
      within.push(path)
    }
    const joined: Listing = {
      files: [...new Map(listings.flatMap((listing) => listing.files).map((file) => [file.path, file])).values()],
      outside: [],
      unreadable: listings.flatMap((listing) => listing.unreadable),
    }
    const isBelow = containment(scope.folders)
    const isListed = (path: string): boolean => isBelow(path) || scope.folders.some((folder) => folder.path === path)
    this.#unlisted = [...this.#unlisted.filter(({ path }) => !isListed(path)), ...joined.unreadable]
    const plan = this.#compare(joined, within, forced, this.#outsideNow(scope, listings))
    const { moves = [] } = scope
    if (moves.length === 0) return plan
    return { ...plan, read: plan.read.map((file) => withBirthTime(file, this.#files.get(formerPath(file.path, moves) ?? ''))) }
  }

  /** Returns the links out of the vault. Those outside the scope are taken from the last state. */
  #outsideNow({ folders, files }: Parts, listings: readonly Listing[]): readonly OutsideLink[] {
    // The paths include those of folders, because the watcher reports a symbolic link to a folder as a folder.
    const listedPaths = new Set([...files, ...folders.map(({ path }) => path)])
    const isWithin = containment(folders)
    const keptLinks = this.#outsideLinks.filter(({ path }) => !listedPaths.has(path) && !isWithin(path))
    const foundLinks = [...listedPaths].flatMap((path) => this.#vault.outsideLink(path as VaultPath) ?? [])
    const all = [...keptLinks, ...listings.flatMap((listing) => listing.outside), ...foundLinks]
    return [...new Map(all.map((link) => [link.path, link])).values()]
  }

  #compare(listing: Listing, expected: readonly string[], forced: Set<string>, outside: readonly OutsideLink[]): Plan {
    const read: ListedFile[] = []
    const unchanged: ListedFile[] = []
    let matched = 0
    for (const file of listing.files) {
      const indexed = this.#files.get(file.path)
      if (indexed !== undefined) matched++
      const isUnchanged = indexed !== undefined && isSameStat(indexed.stat, file.stat) && indexed.excluded === file.excluded
      if (isUnchanged && !forced.has(file.path)) unchanged.push(file)
      else read.push(withBirthTime(file, indexed))
    }
    const missing = matched === expected.length ? [] : this.#missingFrom(listing, expected)
    return { read, unchanged, gone: missing, forced, outside: [...outside].sort((a, b) => (a.path < b.path ? -1 : 1)) }
  }

  #missingFrom(listing: Listing, expected: readonly string[]): readonly KnownFile[] {
    const present = new Set<string>(listing.files.map((file) => file.path))
    // A file in an unreadable folder may still exist.
    const isUnsure = (path: string) => listing.unreadable.some(({ path: hidden }) => hidden === '' || isWithin(path, hidden))
    return [...new Set(expected)].flatMap((path) => {
      const indexed = this.#files.get(path)
      return indexed === undefined || present.has(path) || isUnsure(path) ? [] : [indexed]
    })
  }

  #readSlice(queue: readonly ListedFile[], maxFiles: number, onProgress: (count: number) => void): Slice {
    const facts: FileFacts[] = []
    const missingFiles: KnownFile[] = []
    const started = Date.now()
    let bytes = 0
    let filesRead = 0
    for (const file of queue) {
      filesRead++
      const fact = this.#readFile(file)
      const indexed = this.#files.get(file.path)
      if (fact !== undefined) {
        facts.push(fact)
        if (fact.hash !== '') bytes += fact.stat.size
      } else {
        const indexedFile = indexed ?? this.#withdraw(file)
        if (indexedFile !== undefined) missingFiles.push(indexedFile)
      }
      if (filesRead % PROGRESS_STEP === 0) {
        onProgress(filesRead)
        if (Date.now() - started > SLICE_MS || this.#options.isMemoryShort?.() === true) break
      }
      if (bytes > SLICE_BYTES || filesRead >= maxFiles) break
    }
    onProgress(filesRead)
    return { facts, missingFiles, count: filesRead }
  }

  #readFile(file: ListedFile): FileFacts | undefined {
    const kind = this.#options.kindOf(file.path, this.#mode)
    const options = { kind, conflict: kind === 'note' && this.#options.isConflictCopy(file.path), mode: this.#mode }
    if (kind === 'attachment') return describeUnread(file, options)
    const bytes = this.#vault.read(file.path)
    if (bytes === undefined) return undefined
    if (bytes === 'unreadable') {
      const message = 'The file cannot be read because of its permissions or a disk error.'
      return describeFailed({ ...file, stat: untrusted(file.stat) }, options, message)
    }
    const asRead = { ...file, stat: statAsRead(file.stat, bytes.length) }
    try {
      return this.#describe(asRead, options, bytes)
    } catch (error) {
      // Only a bug can throw here. The other notes are indexed anyway.
      const message = `A bug in Roux prevents it from reading this file: ${(error as Error).message}.`
      return describeFailed(asRead, options, message)
    }
  }

  #describe(file: ListedFile, options: Described, bytes: Uint8Array): FileFacts {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const { profile, comments, ignoredTags } = this.#options
    const flavor = { profile, comments, mode: this.#mode, ...(ignoredTags === undefined ? {} : { ignoredTags }) }
    const parsed = options.kind === 'canvas' ? parseCanvas(text, flavor) : parseNote(text, flavor)
    const note = withEncodingProblem(parsed, text, bytes)
    const hash = digest('sha256', bytes, 'hex')
    this.#options.recent?.keep(hash, bytes)
    const facts = describeNote(file, options, { note, text, hash })
    return this.#options.keepsTexts === true ? { ...facts, text } : facts
  }

  /** Updates only the stat of files with unchanged bytes. */
  async #leaveUnchanged(facts: readonly FileFacts[], forced: Plan['forced']): Promise<Pick<Changes, 'put' | 'touch'>> {
    if (forced === 'all') return { put: facts, touch: [] }
    const hashes = await this.#writer.hashes(facts.map(({ path }) => this.#files.get(path)?.key ?? -1))
    const changed: FileFacts[] = []
    const touch: KnownFile[] = []
    facts.forEach((fact, at) => {
      const indexed = this.#files.get(fact.path)
      // Attachments have no hash, so a new stat alone is not a change.
      const unchanged = indexed !== undefined && indexed.excluded === fact.excluded && fact.hash === hashes[at]
      if (!unchanged) changed.push(fact)
      else if (!isSameStat(indexed.stat, fact.stat)) touch.push({ ...indexed, stat: fact.stat })
    })
    if (touch.some(({ path, stat }) => dayOf(stat) !== dayOf(this.#files.get(path)?.stat ?? stat)))
      this.#options.onDaysChanged?.()
    return { put: changed, touch }
  }

  /** @returns false if another process committed first */
  async #commit(changes: Changes): Promise<boolean> {
    const links = this.#links ?? this.#newLinks()
    const { put, expected, gone, touch, outside, complete, origin } = changes
    const isSame = put.length + gone.length + touch.length === 0 && JSON.stringify(outside) === JSON.stringify(this.#outsideLinks)
    if (isSame && this.#generation > 0 && (this.#isComplete || !complete)) return true
    const removed = gone.map(({ key }) => key)
    const withKeys = put.map((fact): FileFacts & { key: number } =>
      Object.assign(fact, { key: this.#files.get(fact.path)?.key ?? this.#takeKey(fact.path) }),
    )
    for (const { key, path } of withKeys) this.#paths[key] = path
    // Register the names in later slices, so links to them resolve.
    const reserved = expected.map(({ path }) => ({ path, key: this.#reserve(path), aliases: [] }))
    const { affected, changed } = await links.rename([...withKeys, ...reserved], removed)
    await this.#addOutlines(withKeys, links, { affected, changed })
    if (complete && !this.#isComplete && this.#uncheckedSubpaths === undefined) await this.#addDangling({ affected, changed })
    for (const { key } of withKeys) affected.delete(key)
    for (const key of removed) affected.delete(key)
    const outlines = { writer: this.#writer, placed: new Map(withKeys.map((fact) => [fact.key, outlineOf(fact)])) }
    const resolved = withKeys.map((fact) => links.resolve(fact, fact.links))
    const ownLinks = await checkSubpaths(resolved, { ...outlines, onUntested: this.#noteUntested(withKeys) })
    // Convert in place, because copying slows down a cold start.
    const records = withKeys.map((fact, at): FileRecord => Object.assign(fact, resolved[at], { links: ownLinks[at] ?? [] }))
    const known = await this.#writer.records([...affected])
    const logged = await this.#recordsToLog(withKeys, removed)
    const reresolved = known.map((record) => ({ before: record.links, links: links.resolveChanged(record, changed) }))
    for (const [at, checked] of (
      await checkSubpaths(reresolved, { ...outlines, onUntested: this.#noteUntested(known) })
    ).entries()) {
      const record = known[at]
      if (record !== undefined && !sameEnds(record.links, checked)) records.push({ ...record, links: checked })
    }
    const difference = logged && this.#changesFrom([...logged, ...known], { records, removed, origin })
    await this.#options.permission
    const open = await this.#writer.begin(this.#generation)
    const giveIds = this.#ids.change({ removed: gone, added: withKeys })
    for (let from = 0; from === 0 || from < records.length; from += PUT_FILES) {
      const isFirst = from === 0
      const part = { put: records.slice(from, from + PUT_FILES), remove: isFirst ? removed : [], touch: isFirst ? touch : [] }
      await open.put({ ...part, ids: () => giveIds(part, isFirst) })
    }
    const lineage = this.#lineage ?? (complete ? randomBytes(LINEAGE_BYTES).toString('hex') : undefined)
    const state = { mode: this.#mode, outside, nextKey: this.#nextKey, complete, ...(lineage === undefined ? {} : { lineage }) }
    const generation = await open.commit(state, difference)
    if (generation === undefined) return false
    this.#writeLog(lineage, generation, difference)
    this.#remember(generation, { records, gone, touch, outside, complete, lineage })
    return true
  }

  /** Returns the records to log. The initial content of an index is not logged. */
  async #recordsToLog(
    files: readonly { readonly key: number; readonly path: string }[],
    removed: readonly number[],
  ): Promise<readonly FileRecord[] | undefined> {
    if (this.#options.log === undefined || this.#lineage === undefined) return undefined
    const keys = files.flatMap(({ key, path }) => (this.#files.has(path) ? [key] : []))
    return await this.#writer.records([...keys, ...removed])
  }

  #changesFrom(
    before: readonly FileRecord[],
    { records, removed, origin }: { records: readonly FileRecord[]; removed: readonly number[]; origin: Origin },
  ): GraphChanges | undefined {
    const { moves = [], change } = origin
    return changesBetween({
      before,
      after: records,
      removed,
      pathOf: (key) => this.#paths[key],
      formerPath: (path) => formerPath(path, moves),
      time: Date.now(),
      change,
    })
  }

  #writeLog(lineage: string | undefined, generation: number, changes: GraphChanges | undefined): void {
    const { log } = this.#options
    if (log === undefined || lineage === undefined || generation === this.#generation) return
    if (lineage === this.#lineage && changes !== undefined) {
      log.append({ lineage, base: this.#generation, generation, changes })
    } else log.mark(lineage, generation)
    this.#isGenerationLogged = true
  }

  /** Marks links to changed headings and blocks as affected. */
  async #addOutlines(
    facts: readonly (FileFacts & { readonly key: number })[],
    links: LinkTable,
    { affected, changed }: NameChanges,
  ): Promise<void> {
    const mentioned = facts.flatMap((fact) => {
      const mentions = links.outlineMentions(fact)
      return mentions.length === 0 ? [] : [{ fact, mentions }]
    })
    const outlines = await this.#writer.outlines(mentioned.map(({ fact }) => fact.key))
    for (const [at, { fact, mentions }] of mentioned.entries()) {
      const outline = outlineOf(fact)
      if (sameOutline(outlines[at], outline)) continue
      const broken = outlines[at] === undefined && outline !== undefined ? this.#brokenBy(fact.key, outline) : undefined
      for (const { name, sources } of mentions) {
        changed.add(name)
        for (const key of sources) if (broken?.has(key) !== false) affected.add(key)
      }
    }
  }

  /** Marks links to files that were listed but never indexed, because a process ended early. */
  async #addDangling({ affected, changed }: NameChanges): Promise<void> {
    const keys = [...this.#files.values()].map(({ key }) => key)
    for (let from = 0; from < keys.length; from += SLICE_FILES) {
      for (const { key, links, mentions } of await this.#writer.records(keys.slice(from, from + SLICE_FILES))) {
        if (links.every(({ to }) => typeof to === 'string' || this.#paths[to] !== undefined)) continue
        affected.add(key)
        for (const name of mentions) changed.add(name)
      }
    }
  }

  #brokenBy(key: number, outline: Outline): ReadonlySet<number> | undefined {
    if (this.#uncheckedSubpaths === undefined) return undefined
    const links = this.#uncheckedSubpaths.get(key) ?? []
    this.#uncheckedSubpaths.delete(key)
    const exists = subpathTest(outline)
    return new Set(links.filter(({ subpath }) => !exists(subpath)).map(({ source }) => source))
  }

  #noteUntested(files: readonly { readonly key: number }[]): ((at: number, part: Part) => void) | undefined {
    const untested = this.#uncheckedSubpaths
    if (untested === undefined) return undefined
    return (at, { key, subpath }) => {
      const source = files[at]?.key ?? -1
      const links = untested.get(key)
      if (links === undefined) untested.set(key, [{ source, subpath }])
      else links.push({ source, subpath })
    }
  }

  #takeKey(path: string): number {
    const reserved = this.#reserved.get(path)
    this.#reserved.delete(path)
    return reserved ?? this.#freeKeys.pop() ?? this.#nextKey++
  }

  /** Withdraws a file that was deleted before it was read. Returns an entry if its key is in use. */
  #withdraw({ path, stat, excluded }: ListedFile): KnownFile | undefined {
    const key = this.#reserved.get(path)
    this.#reserved.delete(path)
    return key === undefined ? undefined : { key, path, excluded, stat, style: { wikilinks: 0, relativeLinks: 0 } }
  }

  #reserve(path: string): number {
    const key = this.#takeKey(path)
    this.#reserved.set(path, key)
    this.#paths[key] = path
    return key
  }

  #remember(
    generation: number,
    commit: { records: readonly FileRecord[]; lineage: string | undefined } & Pick<
      Changes,
      'gone' | 'touch' | 'outside' | 'complete'
    >,
  ): void {
    this.#generation = generation
    this.#lineage = commit.lineage
    this.#outsideLinks = commit.outside
    this.#isComplete = commit.complete
    if (commit.complete) this.#uncheckedSubpaths = undefined
    this.#style = this.#styleWith(commit.records, commit.gone)
    for (const { path, key } of commit.gone) {
      this.#files.delete(path)
      this.#paths[key] = undefined
      this.#freeKeys.push(key)
    }
    for (const { key, path, excluded, stat, style } of commit.records) {
      this.#files.set(path, { key, path, excluded, stat, style })
    }
    for (const touched of commit.touch) this.#files.set(touched.path, touched)
  }
}

function unusedKeys(files: Iterable<KnownFile>, end: number): number[] {
  const part = new Uint8Array(end)
  for (const { key } of files) part[key] = 1
  const unused: number[] = []
  part.forEach((isUsed, key) => {
    if (isUsed === 0) unused.push(key)
  })
  return unused
}

const PROGRESS_STEP = 256
/** This many random bytes are unique on a machine. */
const LINEAGE_BYTES = 6

interface Plan {
  read: readonly ListedFile[]
  readonly unchanged: readonly ListedFile[]
  readonly gone: readonly KnownFile[]
  forced: Set<string> | 'all'
  readonly outside: readonly OutsideLink[]
}

interface Slice {
  readonly facts: readonly FileFacts[]
  readonly missingFiles: readonly KnownFile[]
  readonly count: number
}

interface Changes {
  readonly put: readonly FileFacts[]
  /** The new files that have not been read yet. */
  readonly expected: readonly ListedFile[]
  readonly gone: readonly KnownFile[]
  readonly touch: readonly KnownFile[]
  readonly outside: readonly OutsideLink[]
  readonly complete: boolean
  readonly origin: Origin
}

type Origin = Pick<Parts, 'moves' | 'change'>

function containment(folders: Parts['folders']): (path: string) => boolean {
  if (folders.length === 0) return () => false
  const direct = new Set(folders.map(({ path }) => path))
  const whole = new Set(folders.filter(({ recursive }) => recursive).map(({ path }) => path))
  return (path) => {
    let above = folderOf(path)
    if (direct.has(above)) return true
    while (above !== '') {
      above = folderOf(above)
      if (whole.has(above)) return true
    }
    return false
  }
}

/** Returns the file with its earliest birth time, because many programs replace a file when saving, which resets that time. */
function withBirthTime(file: ListedFile, indexed: KnownFile | undefined): ListedFile {
  if (indexed === undefined || indexed.stat.birthtime >= file.stat.birthtime) return file
  return { ...file, stat: { ...file.stat, birthtime: indexed.stat.birthtime } }
}

function formerPath(path: string, moves: readonly Move[]): string | undefined {
  const move = moves.find(({ to }) => path === to) ?? moves.find(({ to }) => path.startsWith(`${to}/`))
  return move === undefined ? undefined : move.from + path.slice(move.to.length)
}

function outlineOf({ kind, hash, info }: FileFacts): Outline | undefined {
  return kind === 'note' && hash !== '' ? info : undefined
}

function sameOutline(a: Outline | undefined, b: Outline | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  // The positions of headings do not matter for links.
  const namesOf = ({ headings, blocks }: Outline): string =>
    JSON.stringify([headings.map(({ level, text }) => [level, text]), blocks])
  return namesOf(a) === namesOf(b)
}

function sameEnds(a: FileRecord['links'], b: FileRecord['links']): boolean {
  return a.every((link, at) => {
    const other = b[at]
    const isSame = link.to === other?.to && link.byAlias === other.byAlias && link.brokenSubpath === other.brokenSubpath
    return isSame && String(link.rivals ?? '') === String(other?.rivals ?? '')
  })
}

function withEncodingProblem(note: Note, text: string, bytes: Uint8Array): Note {
  if (!text.includes('\ufffd') || isUtf8(bytes)) return note
  const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length
  const problem = { line, message: 'Not valid UTF-8: invalid bytes have been replaced.' }
  return { ...note, malformed: [...note.malformed, problem] }
}

/** Marks the stat as untrusted if another write might not change it. */
function statAsRead(stat: FileStat, length: number): FileStat {
  const isRacy = Math.abs(Date.now() - Math.max(stat.ctime, stat.mtime)) < RACY_MS
  return isRacy || stat.size !== length ? untrusted(stat) : stat
}

function dayOf({ mtime }: FileStat): number {
  return Math.floor(mtime / 86_400_000)
}

function untrusted(stat: FileStat): FileStat {
  return { ...stat, ctime: -1 }
}

export function isVaultMissing(error: unknown): boolean {
  return error instanceof RouxError && error.code === 'VAULT_NOT_FOUND'
}
