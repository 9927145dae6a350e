import { createFsFromVolume, Volume } from 'memfs'
import { Rankings } from '../../src/app/links/rankings.ts'
import { conflictOriginal } from '../../src/core/conflict-copies.ts'
import type { Embedder } from '../../src/core/embedder.ts'
import { toVaultPath } from '../../src/core/ids.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import type { SearchWriter } from '../../src/core/search-writer.ts'
import type { ExportRow, Store } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import type { ListedFile, OutsideLink, Vault } from '../../src/core/vault.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'
import { Indexer, type IndexerOptions } from '../../src/indexing/indexer.ts'
import { RecentBytes } from '../../src/indexing/search-document.ts'
import { SearchIndexer } from '../../src/indexing/search-indexer.ts'
import type { Location } from '../../src/store/embedded/location.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../src/store/embedded/open-store.ts'
import { openSearchWriter } from '../../src/store/embedded/search/search-writer.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { type FileSystem, fileKind } from '../../src/vault/file-system.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { textsOf } from './texts.ts'

/** Notes by path in memory, in place of a folder on disk. Every write gets a new stat. */
export class MemoryVault implements Vault {
  readonly root = '/memory'
  readonly marker = undefined
  readonly #files = new Map<string, { readonly bytes: Uint8Array; readonly time: number }>()
  readonly #outside = new Map<string, string>()
  /** Paths hidden by the vault's own filters. */
  readonly excluded = new Set<string>()
  #clock = 1_000

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  write(path: string, text: string | Uint8Array): void {
    this.#clock += 1_000
    this.#outside.delete(path)
    this.#files.set(path, { bytes: Buffer.from(text), time: this.#clock })
  }

  remove(path: string): void {
    this.#files.delete(path)
    this.#outside.delete(path)
  }

  /** Creates a symbolic link that leads out of the vault. */
  linkOut(path: string, target: string): void {
    this.#files.delete(path)
    this.#outside.set(path, target)
  }

  paths(): readonly string[] {
    return [...this.#files.keys()]
  }

  list(folder?: { readonly path: string; readonly recursive: boolean }) {
    const start = folder === undefined || folder.path === '' ? '' : `${folder.path}/`
    const isListed = (path: string) => {
      if (!path.startsWith(start)) return false
      return folder === undefined || folder.recursive || !path.slice(start.length).includes('/')
    }
    const links = [...this.#outside].filter(([path]) => isListed(path))
    return {
      files: this.paths()
        .filter(isListed)
        .map((path) => this.#listed(path)),
      outside: links.map(([path, target]) => ({ path: toVaultPath(path), target })),
      unreadable: [],
    }
  }

  outsideLink(path: string): OutsideLink | undefined {
    const target = this.#outside.get(path)
    return target === undefined ? undefined : { path: toVaultPath(path), target }
  }

  stat(path: string): ListedFile | undefined {
    return this.#files.has(path) ? this.#listed(path) : undefined
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.bytes
  }

  #listed(path: string): ListedFile {
    const file = this.#files.get(path)
    const time = file?.time ?? 0
    const stat = { mtime: time, ctime: time, birthtime: time, size: file?.bytes.length ?? 0 }
    return { path: toVaultPath(path), stat, excluded: this.excluded.has(path) }
  }
}

let opened = 0

export type Flavored = Partial<Pick<IndexerOptions, 'profile' | 'comments' | 'mode' | 'keepsTexts'>>

export interface IndexedOptions extends Flavored {
  /** The location of the index. The default is in memory. */
  readonly location?: Location
}

/** Both sides of an engine. */
export interface Engine<S extends Store = Store> {
  readonly index: IndexWriter
  readonly search: SearchWriter
  readonly store: S
}

/** A vault written into an engine and read back through its store. */
export class FedVault<V extends Vault, S extends Store> {
  readonly vault: V
  readonly indexer: Indexer
  readonly store: S
  readonly #engine: Engine<S>
  readonly #recent = new RecentBytes()
  #search: SearchIndexer | undefined
  #wake: () => void = () => {}

  constructor(vault: V, engine: Engine<S>, flavor: Flavored = {}) {
    this.vault = vault
    this.store = engine.store
    this.#engine = engine
    this.indexer = new Indexer(vault, engine.index, {
      profile: 'lenient',
      comments: true,
      mode: 'obsidian',
      kindOf: fileKind,
      isConflictCopy: (path) => conflictOriginal(path) !== undefined,
      permission: Promise.resolve(),
      onProgress: () => {},
      recent: this.#recent,
      ...flavor,
    })
  }

  async index(): Promise<this> {
    await this.indexer.reconcile({ all: true })
    return this
  }

  /** Makes everything findable by words and, with an embedder, by meaning. */
  async indexSearch(embedder?: Embedder, mayEmbed?: (path: string) => boolean): Promise<this> {
    this.#search ??= new SearchIndexer({
      vault: this.vault,
      recent: this.#recent,
      index: this.#engine.index,
      search: this.#engine.search,
      embedding: { mayEmbed, ...(embedder === undefined ? undefined : { openEmbedder: async () => embedder }) },
      deletesOtherVectors: true,
      flavor: { profile: 'lenient', comments: true, mode: this.indexer.mode },
      kindOf: (path) => fileKind(path, this.indexer.mode),
      onMismatch: () => {},
      onWake: () => this.#wake(),
    })
    await this.#search.refresh()
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const result = await this.#search.step()
      if (result === 'done') return this
      if (result === 'waiting') await woken
    }
  }
}

/** Keeps the writers of each store alive, because SQLite drops an in-memory database with its last connection. */
const writersOf = new WeakMap<EmbeddedStore, readonly object[]>()

/** The embedded engine; in memory by default. */
export function embeddedEngine(location?: Location, vault?: string): Engine<EmbeddedStore> {
  const name = `test-${process.pid}-${++opened}`
  const index: Location = location ?? { kind: 'memory', name }
  const search: Location = { kind: 'memory', name: `${name}-search` }
  const writers = { index: openIndexWriter(index), search: openSearchWriter(search) }
  const store = openEmbeddedStore(index, {
    ...(vault === undefined ? {} : { vault }),
    onDamage: () => {},
    search,
  })
  writersOf.set(store, [writers.index, writers.search])
  return { ...writers, store }
}

/** A vault indexed into memory by the embedded engine. */
export class IndexedVault<V extends Vault = MemoryVault> extends FedVault<V, EmbeddedStore> {
  readonly texts: Texts
  readonly rankings: Rankings

  constructor(vault: V, { location, ...flavor }: IndexedOptions = {}, vaultName?: string) {
    super(vault, embeddedEngine(location, vaultName), flavor)
    this.texts = textsOf(() => vault)
    this.rankings = new Rankings(this.store, {
      // The function is asynchronous, like the worker.
      run: async (metric, topology) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return metric === 'pagerank' ? { scores: pageRank(topology) } : betweenness(topology)
      },
    })
  }
}

/** Indexed by the real scanner over an in-memory file system, with ignore rules and symbolic links. */
export async function scanned(
  files: Readonly<Record<string, string>>,
  symlinks: Readonly<Record<string, string>> = {},
  flavor: Flavored = {},
): Promise<IndexedVault<Vault>> {
  const volume = Volume.fromJSON({ ...files }, '/vault')
  for (const [path, target] of Object.entries(symlinks)) volume.symlinkSync(target, `/vault/${path}`)
  const readNamesSync = (path: string) => volume.readdirSync(path) as string[]
  const fs = { ...createFsFromVolume(volume), readNamesSync, rules: { windows: false, folds: false } } as unknown as FileSystem
  const vault = openVault('/vault', { ignore: [], gitignore: false, linkRoots: [], mode: flavor.mode ?? 'auto' }, fs)
  return await new IndexedVault(vault, flavor).index()
}

/** Everything a store exports. */
export async function exported(store: Store): Promise<readonly ExportRow[]> {
  const rows: ExportRow[] = []
  for await (const row of store.export()) rows.push(row)
  return rows
}
