import { isUtf8 } from 'node:buffer'
import { hash as digest, randomBytes } from 'node:crypto'
import { RouxError } from '../core/errors.ts'
import { toVaultPath, type VaultPath } from '../core/ids.ts'
import type { FileRecord, IndexWriter, KnownFile, LinkStyle, Outline } from '../core/index-writer.ts'
import type { GraphChanges, GraphLogWriter } from '../core/insight/graph-changes.ts'
import type { Flavour, IgnoredTags, Mode, Note } from '../core/note.ts'
import { folderOf } from '../core/paths.ts'
import type { FileKind, FileStat, ListedFile, Listing, OutsideLink, Vault } from '../core/vault.ts'
import { changesBetween } from '../graph/changes/changes-between.ts'
import type { NameIndex } from '../links/names.ts'
import { subpathTest } from '../links/subpath.ts'
import { parseCanvas } from '../markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../markdown/parse-note.ts'
import { type Described, describeFailed, describeNote, describeUnread, type FileFacts } from './describe-file.ts'
import { IdTable } from './id-table.ts'
import { checkSubpaths, LinkTable, type Part, type Renamed } from './link-table.ts'
import { MemoryShortError } from './memory-short.ts'
import type { RecentBytes } from './recent-bytes.ts'

/** What to compare with the index: everything, or specific files and folders (with or without subfolders). */
export type Scope = { readonly all: true } | Parts

interface Parts {
  readonly all: false
  readonly folders: readonly { readonly path: string; readonly recursive: boolean }[]
  /** Files that are read even if their stat is unchanged. */
  readonly files: readonly string[]
  /** Renamed files and folders whose data stays valid. */
  readonly moves?: readonly Move[]
  /** The recorded change that caused these changes. */
  readonly change?: string
}

export interface Move {
  readonly from: string
  readonly to: string
}

export interface IndexerOptions {
  readonly profile: Flavour['profile']
  readonly comments: boolean
  readonly ignoredTags?: IgnoredTags
  /**
   * `auto` uses the marker folder if there is one. Otherwise, it compares the number of relative Markdown links with the number of
   * wikilinks.
   */
  readonly mode: 'auto' | Mode
  /** Determined by the name alone. */
  readonly kindOf: (path: string, mode: Mode) => FileKind
  readonly isConflictCopy: (path: string) => boolean
  /** Resolves when the index may be written for the first time. */
  readonly permission: Promise<void>
  readonly onProgress: (done: number, total: number) => void
  /** Checked while many files are read. */
  readonly isMemoryShort?: () => boolean
  /** Receives the graph changes of each commit, if set. */
  readonly log?: GraphLogWriter
  /** True if the engine stores the texts of notes, for servers without access to the folder. */
  readonly keepsTexts?: boolean
  /** Keeps the bytes of notes for search. */
  readonly recent?: Pick<RecentBytes, 'keep'>
}

export interface Reconciled {
  readonly generation: number
  /** Number of files that changed or were deleted. */
  readonly changed: number
  readonly mode: Mode
}

/** The names and links stored in the index. */
export interface IndexLook {
  readonly names: NameIndex
  /** Returns the files whose links mention a folded name. */
  readonly sourcesOf: (name: string) => Iterable<number>
  readonly flavour: Flavour
  /** All files by exact path. */
  readonly known: ReadonlyMap<string, KnownFile>
  /** An unused key. All higher keys are unused too. */
  readonly nextKey: number
}

/**
 * Maximum number of files committed at once. More files are committed in slices, so memory use and the pause for readers do not
 * grow with the vault.
 */
const WHOLE_FILES = 10_000
const SLICE_FILES = 2_500
const SLICE_BYTES = 64 << 20
/** Number of files passed to an engine at once. */
const PUT_FILES = 2_500
/** If the first index takes longer, it is committed in parts, so callers can get partial results. */
const SLICE_MS = 4_000
/** Fewer files than this are read even if memory is nearly used up. */
const MANY_FILES = 1_000
/** A file modified within this time of being read (ms) may keep the same stat, so it is read again next time. */
const RACY_MS = 40

/**
 * The only writer of the index. `reconcile` compares files with the index and commits the difference, whether at start-up, after
 * watcher events, when polling, or after Roux's own writes. Calls must not overlap.
 */
export class Indexer {
  readonly #vault: Vault
  readonly #writer: IndexWriter
  readonly #options: IndexerOptions
  #generation = -1
  #known = new Map<string, KnownFile>()
  #ids = new IdTable(this.#known)
  #freeKeys: number[] = []
  #nextKey = 0
  /** Keys of files that are listed but not committed yet. Links can already point to them. */
  readonly #reserved = new Map<string, number>()
  #style: LinkStyle = { wikilinks: 0, relativeLinks: 0 }
  #outside: readonly OutsideLink[] = []
  #isComplete = false
  #lineage: string | undefined
  /** Paths of known and listed files by key. */
  #paths: (string | undefined)[] = []
  /** True if this indexer has recorded the current generation in the log. */
  #isMarked = false
  #mode: Mode = 'obsidian'
  #links: LinkTable | undefined
  /**
   * While a new index is made in slices: links to headings and blocks of each file that is not read yet. When it is, only sources
   * whose link turns out to be broken are read again. `undefined` if the index was begun earlier.
   */
  #untested: Map<number, { readonly source: number; readonly subpath: string }[]> | undefined

  constructor(vault: Vault, writer: IndexWriter, options: IndexerOptions) {
    this.#vault = vault
    this.#writer = writer
    this.#options = options
  }

  get mode(): Mode {
    return this.#mode
  }

  /** Updates the index to match the files. @throws RouxError `VAULT_NOT_FOUND` */
  async reconcile(scope: Scope): Promise<Reconciled> {
    for (;;) {
      if ((await this.#writer.state()).generation !== this.#generation) await this.#recall()
      let done: Reconciled | undefined
      try {
        // An index deleted under a running server is empty, and an incomplete index may lack any file, so everything is compared.
        done = await this.#attempt(this.#isComplete ? scope : { all: true })
      } finally {
        // After a failed commit, or a commit by another process, the cached state no longer matches the index.
        if (done === undefined) this.forget()
      }
      if (done === undefined) continue
      this.#markOnce()
      return done
    }
  }

  /** A crashed process may not have logged its last commits, which leaves a gap in the log. */
  #markOnce(): void {
    const [log, lineage, generation] = [this.#options.log, this.#lineage, this.#generation]
    if (this.#isMarked || log === undefined || lineage === undefined || !this.#isComplete) return
    this.#isMarked = true
    void this.#options.permission.then(() => log.mark(lineage, generation))
  }

  /** Checks whether a reported file is unchanged since it was last read, as is the case after Roux's own writes. */
  isCurrent(path: string): boolean {
    const file = this.#vault.stat(toVaultPath(path))
    const known = this.#known.get(path)
    if (file === undefined || known === undefined) return file === known
    return file.stat.mtime === known.stat.mtime && file.stat.size === known.stat.size && file.excluded === known.excluded
  }

  /** Preloads the data that resolves links. Other work of this thread gets its turn between two parts. */
  async warm(): Promise<void> {
    while (await this.#links?.loadPart()) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Returns the index for planning changes. Valid until the next `reconcile`. */
  async look(): Promise<IndexLook> {
    if ((await this.#writer.state()).generation !== this.#generation) await this.#recall()
    const links = this.#links ?? this.#newLinks()
    return { ...(await links.look()), flavour: links.flavour, known: this.#known, nextKey: this.#nextKey + this.#reserved.size }
  }

  /** Drops cached state, which is read again by the next `reconcile`. */
  forget(): void {
    this.#generation = -1
  }

  async #recall(): Promise<void> {
    const state = await this.#writer.state()
    const known = new Map<string, KnownFile>()
    const paths: (string | undefined)[] = []
    let [wikilinks, relativeLinks, nextKey] = [0, 0, state.nextKey]
    for await (const part of this.#writer.files()) {
      for (const file of part) {
        known.set(file.path, file)
        paths[file.key] = file.path
        wikilinks += file.style.wikilinks
        relativeLinks += file.style.relativeLinks
        nextKey = Math.max(nextKey, file.key + 1)
      }
    }
    this.#generation = state.generation
    this.#known = known
    this.#ids = new IdTable(known)
    this.#style = { wikilinks, relativeLinks }
    this.#outside = state.outside
    this.#isComplete = state.complete
    this.#lineage = state.lineage
    this.#paths = paths
    this.#nextKey = nextKey
    // In an incomplete index, links may point to keys of files that are not committed yet.
    this.#freeKeys = state.complete ? unusedKeys(known.values(), nextKey) : []
    this.#reserved.clear()
    this.#mode = (state.mode as Mode | undefined) ?? this.#decideMode(this.#style)
    this.#links = this.#newLinks()
  }

  #newLinks(): LinkTable {
    const { profile, comments } = this.#options
    const links = new LinkTable(this.#writer, { profile, comments, mode: this.#mode })
    this.#untested = this.#generation === 0 ? new Map() : undefined
    if (this.#generation === 0) links.startEmpty()
    return links
  }

  #decideMode(style: LinkStyle): Mode {
    if (this.#options.profile === 'obsidian') return 'obsidian'
    if (this.#options.mode !== 'auto') return this.#options.mode
    return this.#vault.marker ?? (style.relativeLinks > style.wikilinks ? 'docs' : 'obsidian')
  }

  async #attempt(scope: Scope): Promise<Reconciled | undefined> {
    const plan = this.#plan(scope)
    let changed = plan.gone.length
    let total = plan.read.length
    let done = 0
    let first = true
    const isWhole = plan.read.length <= WHOLE_FILES
    this.#options.onProgress(0, total)
    while (first || plan.read.length > 0) {
      if (plan.read.length >= MANY_FILES && this.#options.isMemoryShort?.() === true)
        throw new MemoryShortError(`after ${plan.kept.length + done} of ${plan.kept.length + total} files`)
      const slice = this.#readSlice(plan.read, isWhole ? WHOLE_FILES : SLICE_FILES, (count) =>
        this.#options.onProgress(done + count, total),
      )
      const rest = plan.read.slice(slice.taken)
      const gone = [...(first ? plan.gone : []), ...slice.vanished]
      const style = this.#styleWith(slice.facts, gone)
      const mode = rest.length === 0 || this.#generation === 0 ? this.#decideMode(style) : this.#mode
      if (mode !== this.#mode) {
        // The kind of vault has changed, so every note may be read differently.
        this.#mode = mode
        this.#links = this.#newLinks()
        const all = this.#plan({ all: true })
        Object.assign(plan, all, { read: [...all.read, ...all.kept], forced: 'all' })
        total = done + plan.read.length
        continue
      }
      plan.read = rest
      done += slice.taken
      const facts = await this.#leaveUnchanged(slice.facts, plan.forced)
      changed += facts.put.length
      const expected = first ? rest.filter((file) => !this.#known.has(file.path)) : []
      const origin = scope.all ? {} : scope
      const changes = { ...facts, expected, gone, outside: plan.outside, complete: rest.length === 0, origin }
      const committed = await this.#commit(changes)
      if (!committed) return undefined
      first = false
    }
    return { generation: this.#generation, changed, mode: this.#mode }
  }

  /** Returns the link style of the whole vault after adding or updating the notes in `facts` and removing those in `gone`. */
  #styleWith(facts: readonly Pick<FileFacts, 'path' | 'style'>[], gone: readonly KnownFile[]): LinkStyle {
    let { wikilinks, relativeLinks } = this.#style
    for (const { path, style } of facts) {
      const before = this.#known.get(path)?.style
      wikilinks += style.wikilinks - (before?.wikilinks ?? 0)
      relativeLinks += style.relativeLinks - (before?.relativeLinks ?? 0)
    }
    for (const { style } of gone) {
      wikilinks -= style.wikilinks
      relativeLinks -= style.relativeLinks
    }
    return { wikilinks, relativeLinks }
  }

  #plan(scope: Scope): Plan {
    if (scope.all) {
      const listing = this.#vault.list()
      return this.#compare(listing, [...this.#known.keys()], new Set(), listing.outside)
    }
    const forced = new Set<string>()
    const listings: Listing[] = scope.folders.map((folder) => this.#vault.list(folder))
    const within = scope.folders.length === 0 ? [] : [...this.#known.keys()].filter(containment(scope.folders))
    for (const path of scope.files) {
      const file = this.#vault.stat(path as VaultPath)
      forced.add(path)
      if (file !== undefined) listings.push({ files: [file], outside: [], unreadable: [] })
      within.push(path)
    }
    const joined: Listing = {
      files: dedupe(listings.flatMap((listing) => listing.files)),
      outside: [],
      unreadable: listings.flatMap((listing) => listing.unreadable),
    }
    const plan = this.#compare(joined, within, forced, this.#outsideNow(scope, listings))
    const { moves = [] } = scope
    if (moves.length === 0) return plan
    return { ...plan, read: plan.read.map((file) => bornWith(file, this.#known.get(formerPath(file.path, moves) ?? ''))) }
  }

  /** Returns links that point outside the vault. Those in the scope are taken from the listings, the others from the last known state. */
  #outsideNow({ folders, files }: Parts, listings: readonly Listing[]): readonly OutsideLink[] {
    // A symbolic link to a folder is reported as a folder, not as a file.
    const named = new Set([...files, ...folders.map(({ path }) => path)])
    const isWithin = containment(folders)
    const kept = this.#outside.filter(({ path }) => !named.has(path) && !isWithin(path))
    const met = [...named].flatMap((path) => this.#vault.outsideLink(path as VaultPath) ?? [])
    const all = [...kept, ...listings.flatMap((listing) => listing.outside), ...met]
    return [...new Map(all.map((link) => [link.path, link])).values()]
  }

  #compare(listing: Listing, expected: readonly string[], forced: Set<string>, outside: readonly OutsideLink[]): Plan {
    const read: ListedFile[] = []
    const kept: ListedFile[] = []
    let matched = 0
    for (const file of listing.files) {
      const known = this.#known.get(file.path)
      if (known !== undefined) matched++
      const same = known !== undefined && sameStat(known.stat, file.stat) && known.excluded === file.excluded
      if (same && !forced.has(file.path)) kept.push(file)
      else read.push(bornWith(file, known))
    }
    const gone = matched === expected.length ? [] : this.#missingFrom(listing, expected)
    return { read, kept, gone, forced, outside: [...outside].sort((a, b) => (a.path < b.path ? -1 : 1)) }
  }

  /** Returns known files that are missing from a listing. */
  #missingFrom(listing: Listing, expected: readonly string[]): readonly KnownFile[] {
    const there = new Set<string>(listing.files.map((file) => file.path))
    // A folder that could not be listed may still exist.
    const isUnsure = (path: string) =>
      listing.unreadable.some(({ path: hidden }) => hidden === '' || path === hidden || path.startsWith(`${hidden}/`))
    return [...new Set(expected)].flatMap((path) => {
      const known = this.#known.get(path)
      return known === undefined || there.has(path) || isUnsure(path) ? [] : [known]
    })
  }

  /** Reads files until a slice is full. */
  #readSlice(queue: readonly ListedFile[], most: number, onProgress: (count: number) => void): Slice {
    const facts: FileFacts[] = []
    const vanished: KnownFile[] = []
    const started = Date.now()
    let bytes = 0
    let taken = 0
    for (const file of queue) {
      taken++
      const fact = this.#readFile(file)
      const known = this.#known.get(file.path)
      if (fact !== undefined) {
        facts.push(fact)
        if (fact.hash !== '') bytes += fact.stat.size
      } else {
        const listed = known ?? this.#withdraw(file)
        if (listed !== undefined) vanished.push(listed)
      }
      if (taken % PROGRESS_STEP === 0) {
        onProgress(taken)
        if (Date.now() - started > SLICE_MS || this.#options.isMemoryShort?.() === true) break
      }
      if (bytes > SLICE_BYTES || taken >= most) break
    }
    onProgress(taken)
    return { facts, vanished, taken }
  }

  #readFile(file: ListedFile): FileFacts | undefined {
    const kind = this.#options.kindOf(file.path, this.#mode)
    const described = { kind, conflict: kind === 'note' && this.#options.isConflictCopy(file.path), mode: this.#mode }
    if (kind === 'attachment') return describeUnread(file, described)
    const bytes = this.#vault.read(file.path)
    if (bytes === undefined) return undefined
    if (bytes === 'unreadable') {
      const message = 'The file cannot be read: its permissions or the disk forbid it.'
      return describeFailed({ ...file, stat: untrusted(file.stat) }, described, message)
    }
    const asRead = { ...file, stat: statAsRead(file.stat, bytes.length) }
    try {
      return this.#describe(asRead, described, bytes)
    } catch (error) {
      // Reading never throws unless there is a bug. In that case, other notes must still be indexed.
      const message = `A bug in Roux prevents it from reading this file: ${(error as Error).message}.`
      return describeFailed(asRead, described, message)
    }
  }

  #describe(file: ListedFile, described: Described, bytes: Uint8Array): FileFacts {
    const text = decode(bytes)
    const { profile, comments, ignoredTags } = this.#options
    const flavour = { profile, comments, mode: this.#mode, ...(ignoredTags === undefined ? {} : { ignoredTags }) }
    const parsed = described.kind === 'canvas' ? parseCanvas(text, flavour) : parseNote(text, flavour)
    const note = withEncodingProblem(parsed, text, bytes)
    const hash = digest('sha256', bytes, 'hex')
    this.#options.recent?.keep(hash, bytes)
    const facts = describeNote(file, described, { note, text, hash })
    return this.#options.keepsTexts === true ? { ...facts, text } : facts
  }

  /** Separates the files whose bytes are unchanged. For those, only the stat is updated. */
  async #leaveUnchanged(facts: readonly FileFacts[], forced: Plan['forced']): Promise<Pick<Changes, 'put' | 'touch'>> {
    if (forced === 'all') return { put: facts, touch: [] }
    const hashes = await this.#writer.hashes(facts.map(({ path }) => this.#known.get(path)?.key ?? -1))
    const put: FileFacts[] = []
    const touch: KnownFile[] = []
    facts.forEach((fact, at) => {
      const known = this.#known.get(fact.path)
      // Files without a hash, such as attachments, were not read before either. For them, a new stat alone is not a change.
      const unchanged = known !== undefined && known.excluded === fact.excluded && fact.hash === hashes[at]
      if (!unchanged) put.push(fact)
      else if (!sameStat(known.stat, fact.stat)) touch.push({ ...known, stat: fact.stat })
    })
    return { put, touch }
  }

  /** @returns false if another process committed first */
  async #commit(changes: Changes): Promise<boolean> {
    const links = this.#links ?? this.#newLinks()
    const { put, expected, gone, touch, outside, complete, origin } = changes
    const nothing = put.length + gone.length + touch.length === 0 && sameOutside(outside, this.#outside)
    if (nothing && this.#generation > 0 && (this.#isComplete || !complete)) return true
    const removed = gone.map(({ key }) => key)
    const placed = put.map((fact): FileFacts & { key: number } =>
      Object.assign(fact, { key: this.#known.get(fact.path)?.key ?? this.#takeKey(fact.path) }),
    )
    for (const { key, path } of placed) this.#paths[key] = path
    // Registers the names of files in later slices, so links resolve to their final targets.
    const reserved = expected.map(({ path }) => ({ path, key: this.#reserve(path), aliases: [] }))
    const { affected, changed } = await links.rename([...placed, ...reserved], removed)
    await this.#addOutlines(placed, links, { affected, changed })
    if (complete && !this.#isComplete && this.#untested === undefined) await this.#addDangling({ affected, changed })
    for (const { key } of placed) affected.delete(key)
    for (const key of removed) affected.delete(key)
    const outlines = { writer: this.#writer, placed: new Map(placed.map((fact) => [fact.key, outlineOf(fact)])) }
    const resolved = placed.map((fact) => links.resolve(fact, fact.links))
    const own = await checkSubpaths(resolved, { ...outlines, onUntested: this.#noteUntested(placed) })
    // Converts the facts into records in place, because copying thousands of such large objects would slow down a cold start.
    const records = placed.map((fact, at): FileRecord => Object.assign(fact, resolved[at], { links: own[at] ?? [] }))
    const known = await this.#writer.records([...affected])
    const logged = await this.#recordsToLog(placed, removed)
    const again = known.map((record) => ({ before: record.links, links: links.resolveChanged(record, changed) }))
    for (const [at, checked] of (await checkSubpaths(again, { ...outlines, onUntested: this.#noteUntested(known) })).entries()) {
      const record = known[at]
      if (record !== undefined && !sameEnds(record.links, checked)) records.push({ ...record, links: checked })
    }
    const difference = logged && this.#changesFrom([...logged, ...known], { records, removed, origin })
    await this.#options.permission
    const open = await this.#writer.begin(this.#generation)
    const giveIds = this.#ids.change({ removed: gone, placed })
    for (let from = 0; from === 0 || from < records.length; from += PUT_FILES) {
      const isFirst = from === 0
      const part = { put: records.slice(from, from + PUT_FILES), remove: isFirst ? removed : [], touch: isFirst ? touch : [] }
      await open.put({ ...part, ids: () => giveIds(part, isFirst) })
    }
    const lineage = this.#lineage ?? (complete ? randomBytes(LINEAGE_BYTES).toString('hex') : undefined)
    const state = { mode: this.#mode, outside, nextKey: this.#nextKey, complete, ...(lineage === undefined ? {} : { lineage }) }
    const generation = await open.commit(state, difference)
    if (generation === undefined) return false
    this.#tellLog(lineage, generation, difference)
    this.#remember(generation, { records, gone, touch, outside, complete, lineage })
    return true
  }

  /** Returns the previous records of changing files if changes are logged. The first content of an index is not logged as a change. */
  async #recordsToLog(
    placed: readonly { readonly key: number; readonly path: string }[],
    removed: readonly number[],
  ): Promise<readonly FileRecord[] | undefined> {
    if (this.#options.log === undefined || this.#lineage === undefined) return undefined
    const keys = placed.flatMap(({ key, path }) => (this.#known.has(path) ? [key] : []))
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

  #tellLog(lineage: string | undefined, generation: number, changes: GraphChanges | undefined): void {
    const { log } = this.#options
    if (log === undefined || lineage === undefined || generation === this.#generation) return
    if (lineage === this.#lineage && changes !== undefined) {
      log.append({ lineage, base: this.#generation, generation, changes })
    } else log.mark(lineage, generation)
    this.#isMarked = true
  }

  /** Adds the files that link to headings and blocks of these notes, if the headings or blocks have changed. */
  async #addOutlines(
    placed: readonly (FileFacts & { readonly key: number })[],
    links: LinkTable,
    { affected, changed }: Renamed,
  ): Promise<void> {
    const mentioned = placed.flatMap((fact) => {
      const mentions = links.outlineMentions(fact)
      return mentions.length === 0 ? [] : [{ fact, mentions }]
    })
    const known = await this.#writer.outlines(mentioned.map(({ fact }) => fact.key))
    for (const [at, { fact, mentions }] of mentioned.entries()) {
      const outline = outlineOf(fact)
      if (sameOutline(known[at], outline)) continue
      const broken = known[at] === undefined && outline !== undefined ? this.#brokenBy(fact.key, outline) : undefined
      for (const { name, sources } of mentions) {
        changed.add(name)
        for (const key of sources) if (broken?.has(key) !== false) affected.add(key)
      }
    }
  }

  /**
   * Adds the files that link to a file that never got into the index, because a process listed it, ended before it was read, and
   * it was deleted since.
   */
  async #addDangling({ affected, changed }: Renamed): Promise<void> {
    const keys = [...this.#known.values()].map(({ key }) => key)
    for (let from = 0; from < keys.length; from += SLICE_FILES) {
      for (const { key, links, mentions } of await this.#writer.records(keys.slice(from, from + SLICE_FILES))) {
        if (links.every(({ to }) => typeof to === 'string' || this.#paths[to] !== undefined)) continue
        affected.add(key)
        for (const name of mentions) changed.add(name)
      }
    }
  }

  /** Returns the sources whose links to headings and blocks of a file are broken, or `undefined` if that is unknown. */
  #brokenBy(key: number, outline: Outline): ReadonlySet<number> | undefined {
    if (this.#untested === undefined) return undefined
    const links = this.#untested.get(key) ?? []
    this.#untested.delete(key)
    const isThere = subpathTest(outline)
    return new Set(links.filter(({ subpath }) => !isThere(subpath)).map(({ source }) => source))
  }

  #noteUntested(files: readonly { readonly key: number }[]): ((at: number, part: Part) => void) | undefined {
    const untested = this.#untested
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

  /** Returns an entry for a file that was deleted before it could be read. Links may already point to its key. */
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
    done: { records: readonly FileRecord[]; lineage: string | undefined } & Pick<
      Changes,
      'gone' | 'touch' | 'outside' | 'complete'
    >,
  ): void {
    this.#generation = generation
    this.#lineage = done.lineage
    this.#outside = done.outside
    this.#isComplete = done.complete
    if (done.complete) this.#untested = undefined
    this.#style = this.#styleWith(done.records, done.gone)
    for (const { path, key } of done.gone) {
      this.#known.delete(path)
      this.#paths[key] = undefined
      this.#freeKeys.push(key)
    }
    for (const { key, path, excluded, stat, style } of done.records) {
      this.#known.set(path, { key, path, excluded, stat, style })
    }
    for (const known of done.touch) this.#known.set(known.path, known)
  }
}

/** Returns the unused keys below `end` in ascending order. */
function unusedKeys(files: Iterable<KnownFile>, end: number): number[] {
  const used = new Uint8Array(end)
  for (const { key } of files) used[key] = 1
  const unused: number[] = []
  used.forEach((isUsed, key) => {
    if (isUsed === 0) unused.push(key)
  })
  return unused
}

const PROGRESS_STEP = 256
/** Long enough to be unique among the indexes of one machine. */
const LINEAGE_BYTES = 6

interface Plan {
  read: readonly ListedFile[]
  readonly kept: readonly ListedFile[]
  readonly gone: readonly KnownFile[]
  forced: Set<string> | 'all'
  readonly outside: readonly OutsideLink[]
}

interface Slice {
  readonly facts: readonly FileFacts[]
  /** Known files that were deleted between listing and reading. */
  readonly vanished: readonly KnownFile[]
  readonly taken: number
}

interface Changes {
  readonly put: readonly FileFacts[]
  /** New files that are not read yet. */
  readonly expected: readonly ListedFile[]
  readonly gone: readonly KnownFile[]
  readonly touch: readonly KnownFile[]
  readonly outside: readonly OutsideLink[]
  /** True if no files remain to be read after this commit. */
  readonly complete: boolean
  readonly origin: Origin
}

/** The known reasons for changes. */
type Origin = Pick<Parts, 'moves' | 'change'>

/** Returns a test for whether a path is in one of several folders, with one lookup per parent folder. */
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

/**
 * Uses the earliest known birth time, because programs that save by replacing a file (as Roux and many editors do) reset the birth
 * time.
 */
function bornWith(file: ListedFile, known: KnownFile | undefined): ListedFile {
  if (known === undefined || known.stat.birthtime >= file.stat.birthtime) return file
  return { ...file, stat: { ...file.stat, birthtime: known.stat.birthtime } }
}

/** Returns the path that a file had before files and folders were moved. */
function formerPath(path: string, moves: readonly Move[]): string | undefined {
  const move = moves.find(({ to }) => path === to) ?? moves.find(({ to }) => path.startsWith(`${to}/`))
  return move === undefined ? undefined : move.from + path.slice(move.to.length)
}

function dedupe(files: readonly ListedFile[]): readonly ListedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

function sameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}

function sameOutside(a: readonly OutsideLink[], b: readonly OutsideLink[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the headings and blocks of a note that was read. */
function outlineOf({ kind, hash, info }: FileFacts): Outline | undefined {
  return kind === 'note' && hash !== '' ? info : undefined
}

function sameOutline(a: Outline | undefined, b: Outline | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  // Only the text and nesting of headings are compared, not their positions.
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

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function withEncodingProblem(note: Note, text: string, bytes: Uint8Array): Note {
  if (!text.includes('\ufffd') || isUtf8(bytes)) return note
  const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length
  const problem = { line, message: 'Not valid UTF-8: invalid bytes were replaced.' }
  return { ...note, malformed: [...note.malformed, problem] }
}

/** Returns a stat that is marked as untrusted if a later write could leave it unchanged. */
function statAsRead(stat: FileStat, length: number): FileStat {
  const isRacy = Math.abs(Date.now() - Math.max(stat.ctime, stat.mtime)) < RACY_MS
  return isRacy || stat.size !== length ? untrusted(stat) : stat
}

/** Returns a stat that never matches, so the file is read again at the next opportunity. */
function untrusted(stat: FileStat): FileStat {
  return { ...stat, ctime: -1 }
}

/** Checks whether an error means that the vault does not exist. */
export function isVaultMissing(error: unknown): boolean {
  return error instanceof RouxError && error.code === 'VAULT_NOT_FOUND'
}
