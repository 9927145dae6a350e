import type { FileRecord, IndexWriter, Outline, ResolvedLink } from '../core/index-writer.ts'
import type { Flavor, Link } from '../core/note.ts'
import { changedNames, type NamedFile, NameIndex, namesOf } from '../links/names.ts'
import { addMentions, mentionsAny, outlineName, withTarget } from '../links/resolve.ts'
import { subpathTest } from '../links/subpath.ts'
import { Mentions } from './mentions.ts'

type NamedRecord = Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>

export interface NameChanges {
  readonly changed: Set<string>
  readonly affected: Set<number>
}

interface Tables {
  readonly names: NameIndex
  readonly mentions: Mentions
}

/** The folded names that have been added, removed or respelled so far. */
interface Renaming extends Tables {
  readonly changed: Set<string>
}

/** A table that resolves links, and finds the links that a changed name affects. It is loaded on first use. */
export class LinkTable {
  readonly #writer: IndexWriter
  readonly flavor: Flavor
  #tables: Tables | undefined
  #loading: AsyncGenerator<void> | undefined

  constructor(writer: IndexWriter, flavor: Flavor) {
    this.#writer = writer
    this.flavor = flavor
  }

  startEmpty(): void {
    this.#tables = { names: new NameIndex(this.flavor.mode), mentions: new Mentions() }
  }

  async #load(): Promise<Tables> {
    while (this.#tables === undefined) await this.loadPart()
    return this.#tables
  }

  async loadPart(): Promise<boolean> {
    if (this.#tables === undefined) {
      this.#loading ??= this.#loadAll()
      try {
        await this.#loading.next()
      } catch (error) {
        this.#loading = undefined
        throw error
      }
    }
    return this.#tables === undefined
  }

  async *#loadAll(): AsyncGenerator<void> {
    const names = new NameIndex(this.flavor.mode)
    for await (const part of this.#writer.names()) {
      for (const file of part) names.add(toNamed(file))
      yield
    }
    const mentions = new Mentions()
    for await (const part of this.#writer.mentions()) {
      for (const file of part) mentions.set(file.key, file.mentions)
      yield
    }
    this.#tables = { names, mentions }
    this.#loading = undefined
  }

  async look(): Promise<{ readonly names: NameIndex; readonly sourcesOf: (name: string) => Iterable<number> }> {
    const { names, mentions } = await this.#load()
    return { names, sourcesOf: (name) => mentions.sources(name) }
  }

  async rename(records: readonly NamedRecord[], removed: readonly number[]): Promise<NameChanges> {
    const tables = await this.#load()
    const changed = new Set<string>()
    for (const key of removed) this.#forget(key, { ...tables, changed })
    // A new index has no mentions yet.
    const isNew = tables.mentions.isEmpty
    for (const file of records) {
      if (isNew && tables.names.path(file.key) === undefined) tables.names.add(toNamed(detach(file)))
      else this.#take(toNamed(detach(file)), { ...tables, changed })
    }
    const affected = new Set<number>()
    for (const name of changed) for (const key of tables.mentions.sources(name)) affected.add(key)
    return { changed, affected }
  }

  #forget(key: number, { names, mentions, changed }: Renaming): void {
    const file = names.file(key)
    if (file === undefined) return
    for (const name of namesOf(file, this.flavor.mode)) changed.add(name)
    names.remove(key)
    mentions.set(key, [])
  }

  #take(file: NamedFile, { names, changed }: Renaming): void {
    const before = names.file(file.key)
    const touched = changedNames(before, file, this.flavor.mode)
    if (before !== undefined && touched.length === 0) return
    for (const name of touched) changed.add(name)
    names.add(file)
  }

  /** Returns the headings and blocks in links to a file, with the linking files. */
  outlineMentions(file: NamedRecord): readonly { readonly name: string; readonly sources: readonly number[] }[] {
    const { mentions } = this.#loaded
    return namesOf(toNamed(file), this.flavor.mode).flatMap((each) => {
      const name = outlineName(each)
      const sources = mentions.sources(name).filter((key) => key !== file.key)
      return sources.length === 0 ? [] : [{ name, sources }]
    })
  }

  /** Resolves links and records the mentioned names. `rename` must be called first. */
  resolve(
    source: { readonly key: number; readonly path: string },
    links: readonly (Link | ResolvedLink)[],
  ): Pick<FileRecord, 'links' | 'mentions'> {
    const { names, mentions } = this.#loaded
    if (links.length === 0 && !mentions.has(source.key)) return NO_LINKS
    const mentioned = new Set<string>()
    const add = (name: string): void => {
      mentioned.add(name)
    }
    const resolved: ResolvedLink[] = []
    for (const link of links) {
      addMentions(link, source.path, this.flavor, add)
      resolved.push(withTarget(names, source, link, this.flavor))
    }
    const list = [...mentioned]
    mentions.set(source.key, list)
    return { links: resolved, mentions: list }
  }

  resolveChanged({ key, path, links }: FileRecord, changed: ReadonlySet<string>): readonly ResolvedLink[] {
    const { names } = this.#loaded
    return links.map((link) =>
      mentionsAny(link, path, this.flavor, changed) ? withTarget(names, { key, path }, link, this.flavor) : link,
    )
  }

  get #loaded(): Tables {
    if (this.#tables === undefined) throw new Error('names are not loaded')
    return this.#tables
  }
}

const NO_LINKS = { links: [], mentions: [] } as const

/** Copy strings, because slices keep the whole text in memory. */
function detach(file: NamedRecord): NamedRecord {
  if (file.aliases.length === 0 && file.pageTitle === undefined) {
    return { key: file.key, path: file.path, aliases: [] }
  }
  const [aliases, pageTitle] = JSON.parse(JSON.stringify([file.aliases, file.pageTitle ?? 0])) as [string[], string | 0]
  return { key: file.key, path: file.path, aliases, ...(pageTitle === 0 ? {} : { pageTitle }) }
}

function toNamed(file: NamedRecord): NamedFile {
  return { key: file.key, path: file.path, aliases: file.aliases, title: file.pageTitle }
}

export interface OutlineSources {
  readonly writer: Pick<IndexWriter, 'outlines'>
  /** The outlines of uncommitted files. An outline is undefined for a file that has none. */
  readonly placed: ReadonlyMap<number, Outline | undefined>
  /** A callback for links to headings and blocks of unread files. `at` is the index of the linking file. */
  readonly onUntested?: ((at: number, part: Part) => void) | undefined
}

export interface Part {
  readonly key: number
  readonly subpath: string
}

/** A file with links. Those that `before` also contains are not checked again. */
export interface LinkingFile {
  readonly links: readonly ResolvedLink[]
  readonly before?: readonly ResolvedLink[]
}

/** Marks links to missing headings and blocks. Links to unread files are checked later. */
export async function checkSubpaths(
  files: readonly LinkingFile[],
  { writer, placed, onUntested }: OutlineSources,
): Promise<readonly (readonly ResolvedLink[])[]> {
  const targets = files.flatMap(({ links, before }) =>
    links.flatMap((link, at) => {
      const key = link === before?.[at] ? undefined : partOf(link)?.key
      return key === undefined || placed.has(key) ? [] : [key]
    }),
  )
  const keys = [...new Set(targets)]
  const stored = await writer.outlines(keys)
  const outlines = new Map([...placed, ...keys.map((key, at) => [key, stored[at]] as const)])
  const tests = new Map<number, (subpath: string) => boolean>()
  const isBroken = (link: ResolvedLink, file: number): boolean => {
    const part = partOf(link)
    const outline = part === undefined ? undefined : outlines.get(part.key)
    if (part !== undefined && outline === undefined) onUntested?.(file, part)
    if (part === undefined || outline === undefined) return false
    const test = tests.get(part.key) ?? subpathTest(outline)
    tests.set(part.key, test)
    return !test(part.subpath)
  }
  return files.map(({ links, before }, file) => {
    const checkedLinks = links.map((link, at) =>
      link !== before?.[at] && isBroken(link, file) ? { ...link, brokenSubpath: true as const } : link,
    )
    return checkedLinks.some((link, at) => link !== links[at]) ? checkedLinks : links
  })
}

function partOf({ to, subpath }: ResolvedLink): Part | undefined {
  return subpath === undefined || typeof to === 'string' ? undefined : { key: to, subpath }
}
