import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { quickFolder } from '../../scripts/quick-folder.mjs'
import { type Changes, type ChangesOptions, openChanges } from '../../src/changes/open-changes.ts'
import type { Operation, WriteRequest, WriteResult } from '../../src/core/operations.ts'
import type { Texts } from '../../src/core/texts.ts'
import { IndexingService } from '../../src/indexing/service.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../src/store/embedded/open-store.ts'
import { openSearchWriter } from '../../src/store/embedded/search/search-writer.ts'
import { isDamage, isUnwritable, openSqlite } from '../../src/store/embedded/sqlite.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { fileKind } from '../../src/vault/file-system.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { openVaultView } from '../../src/workers/files/vault-view.ts'
import { WriteService } from '../../src/workers/write-service.ts'
import { quickFiles } from '../changes/rig.ts'
import { PATIENCE } from '../support/patience.ts'
import { exported, type Flavored } from './memory-vault.ts'
import { temporaryFolder } from './temporary.ts'
import { textsOf } from './texts.ts'

export type Files = Readonly<Record<string, string | Uint8Array>>

export interface WritableOptions extends Flavored {
  /** Whether files are older than the precision of file systems and clocks, as most are; true by default. */
  readonly settled?: boolean
  /** The setting `files.case`; `lower` by default. */
  readonly spelling?: 'auto' | 'lower' | 'preserve'
  readonly changes?: Partial<ChangesOptions>
}

let opened = 0

/** A folder on disk that is indexed, written and read back in this process. */
export class WritableVault {
  readonly root: string
  readonly state: string
  readonly service: IndexingService
  readonly changes: Changes
  readonly writes: WriteService
  readonly store: EmbeddedStore
  readonly texts: Texts
  readonly #errors: unknown[] = []
  #isClosed = false

  constructor(folder: string, options: WritableOptions) {
    this.root = join(folder, 'vault')
    // The databases in this folder wait for the disk with every change.
    this.state = join(temporaryFolder(quickFolder()), 'state')
    const { spelling = 'lower', changes, profile = 'lenient', comments = true, mode = 'obsidian' } = options
    const location = { kind: 'memory', name: `writable-${process.pid}-${++opened}` } as const
    const search = { kind: 'memory', name: `${location.name}-search` } as const
    const open = () => openVault(this.root, { ignore: ['drafts/**'], gitignore: true, linkRoots: [], mode })
    this.service = new IndexingService({
      openVault: open,
      openWriter: () => openIndexWriter(location),
      watchKind: 'off',
      file: '',
      isDamage,
      isUnwritable,
      indexer: { profile, comments, mode, kindOf: fileKind, isConflictCopy: () => false },
      search: { openWriter: () => openSearchWriter(search), isEager: false, onReplaced: () => {} },
      onReplaced: () => {},
      onCommitted: () => this.store.refresh(),
      onError: (error) => this.#errors.push(error),
    })
    this.store = openEmbeddedStore(location, {
      onDamage: () => {},
      search,
    })
    this.texts = textsOf(open)
    this.changes = openChanges({
      root: this.root,
      stateFolder: this.state,
      openDatabase: openSqlite,
      fs: quickFiles,
      refusal: (path) => (path.startsWith('drafts/') ? 'it is ignored' : undefined),
      ...changes,
    })
    this.writes = new WriteService({
      service: this.service,
      changes: this.changes,
      openView: (access) => openVaultView(access, spelling),
    })
  }

  async start(): Promise<this> {
    this.service.start()
    this.service.begin()
    await this.service.ready(PATIENCE)
    return this
  }

  put(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), content)
  }

  async write(operations: Operation | readonly Operation[], options: Partial<WriteRequest> = {}): Promise<WriteResult> {
    return await this.writes.run({ title: 'test', operations: [operations].flat(), dryRun: false, ...options })
  }

  /** A file's bytes, one character per byte; `undefined` if missing. */
  raw(path: string): string | undefined {
    const file = join(this.root, path)
    return existsSync(file) ? readFileSync(file, 'latin1') : undefined
  }

  text(path: string): string | undefined {
    const bytes = this.raw(path)
    return bytes === undefined ? undefined : Buffer.from(bytes, 'latin1').toString('utf8')
  }

  hash(path: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.root, path)))
      .digest('hex')
  }

  /** Every name below the root, including hidden ones: folders with `/` at the end, links with their targets, files with their bytes. */
  snapshot(): Readonly<Record<string, string>> {
    const entries: [string, string][] = []
    const walk = (folder: string) => {
      for (const name of readdirSync(join(this.root, folder)).sort()) {
        const path = folder === '' ? name : `${folder}/${name}`
        const stat = lstatSync(join(this.root, path))
        if (stat.isSymbolicLink()) entries.push([path, `-> ${readlinkSync(join(this.root, path))}`])
        else entries.push(stat.isDirectory() ? [`${path}/`, ''] : [path, this.raw(path) ?? ''])
        if (stat.isDirectory()) walk(path)
      }
    }
    walk('')
    return Object.fromEntries(entries)
  }

  /** The files only, with their text. */
  files(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.snapshot())
        .filter(([name]) => !name.endsWith('/'))
        .map(([name]) => [name, this.text(name) ?? '']),
    )
  }

  /** `a.md -> b.md` with its count; missing targets in brackets. */
  async edges(): Promise<readonly string[]> {
    const rows = await exported(this.store)
    return rows
      .flatMap((row) => {
        if (row.kind === 'node') return []
        return [`${row.source} -> ${row.kind === 'edge' ? row.target : `(${row.target})`} x${row.count}`]
      })
      .sort()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.service.close()
    this.writes.close()
    await this.store.close()
    if (this.#errors.length > 0) throw this.#errors[0]
  }
}

/** Makes a vault of these files and indexes it. */
export async function writable(files: Files = {}, options: WritableOptions = {}): Promise<WritableVault> {
  const vault = new WritableVault(temporaryFolder(), options)
  mkdirSync(vault.root)
  for (const [path, content] of Object.entries(files)) vault.put(path, content)
  onTestFinished(() => vault.close())
  // The index does not trust the time stamp of a recently written file.
  if (options.settled !== false) await new Promise((resolve) => setTimeout(resolve, 60))
  return await vault.start()
}
