import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ChangeFiles, diskFiles } from '../../src/changes/file-system.ts'
import { type Changes, type ChangesOptions, openChanges } from '../../src/changes/open-changes.ts'
import type { OpenDatabase } from '../../src/changes/record/state-database.ts'
import { quietly } from '../../src/core/quietly.ts'
import type { Database } from '../../src/core/sql-database.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const sha = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** A vault and a state folder below `folder`. */
export interface World {
  readonly root: string
  readonly state: string
  open(options?: Partial<ChangesOptions>): Changes
}

export function makeWorld(folder: string, files: Readonly<Record<string, string>> = {}): World {
  const root = join(folder, 'vault')
  const state = join(folder, 'state')
  mkdirSync(root, { recursive: true })
  for (const [path, text] of Object.entries(files)) writeNote(root, path, text)
  return {
    root,
    state,
    open: (options = {}) => openChanges({ root, stateFolder: state, openDatabase: openSqlite, fs: quickFiles, ...options }),
  }
}

export function writeNote(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Every name below a folder, including temporary ones: folders with a trailing `/`, files with their text. */
export function snapshot(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(root, name)
      return statSync(path).isDirectory() ? [`${name}/`, ''] : [name, readFileSync(path, 'latin1')]
    }),
  )
}

/** The disk without fsync: a killed process's writes survive anyway. */
export const quickFiles: ChangeFiles = { ...diskFiles, fsync: async () => {}, syncFolder: async () => {} }

/** A case-insensitive file system, as on macOS and Windows: it finds names in any spelling. */
export function foldingFiles(root: string): ChangeFiles {
  const find = (path: string): string => {
    if (path === root || !path.startsWith(`${root}/`)) return path
    const folder = find(dirname(path))
    const name = path.slice(path.lastIndexOf('/') + 1)
    const names = quickFiles.lstat(folder)?.kind === 'folder' ? readdirSync(folder) : []
    return `${folder}/${names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name}`
  }
  const respell = (path: string) => `${find(dirname(path))}/${path.slice(path.lastIndexOf('/') + 1)}`
  const files = Object.entries(quickFiles).map(([name, call]) => {
    const found = (...values: unknown[]) =>
      (call as AnyCall)(...values.map((value) => (typeof value === 'string' ? find(value) : value)))
    return [name, found]
  })
  return {
    ...(Object.fromEntries(files) as unknown as ChangeFiles),
    hasExactName: (path) => find(path) === path,
    rename: (from, to) => quickFiles.rename(find(from), find(from) === find(to) ? respell(to) : find(to)),
  }
}

/** Thrown when the process dies. */
class Killed extends Error {}

/** A process that dies, or fails once, at a given call of the file system or the journal. */
export class Fate {
  /** The number of calls so far. */
  calls = 0
  readonly names: string[] = []
  isDead = false
  readonly #at: number | string
  readonly #code: string | undefined

  /**
   * @param at the index of the call, or the name of the first such call.
   * @param code the error of that call; without a code the process dies.
   */
  constructor(at: number | string = Number.POSITIVE_INFINITY, code?: string) {
    this.#at = at
    this.#code = code
  }

  meet(name: string): void {
    if (this.isDead) throw new Killed()
    this.names.push(name)
    this.calls++
    if (this.calls - 1 !== this.#at && name !== this.#at) return
    if (this.#code !== undefined) throw Object.assign(new Error(`${this.#code}: injected, ${name}`), { code: this.#code })
    this.isDead = true
    throw new Killed()
  }
}

type AnyCall = (...values: readonly unknown[]) => unknown

/** A file system whose calls may fail or kill the process; an interrupted write leaves half its bytes. */
export function fatedFiles(fate: Fate, files: ChangeFiles = quickFiles): ChangeFiles {
  const wrap = (name: string, call: AnyCall): AnyCall => {
    if (name === 'close') return call
    return (...values) => {
      try {
        fate.meet(name)
      } catch (error) {
        const [fd, content] = values
        if (name === 'write' && !fate.names.includes('torn')) {
          fate.names.push('torn')
          const half = content as Uint8Array
          files.write(fd as number, half.subarray(0, half.length >> 1))
        }
        if (name === 'fsync' || name === 'syncFolder' || name === 'unlink') return Promise.reject(error)
        throw error
      }
      return call(...values)
    }
  }
  const wrapped = Object.entries(files).map(([name, call]) => [name, wrap(name, call as AnyCall)])
  return Object.fromEntries(wrapped) as unknown as ChangeFiles
}

/** Databases that die with their process and lose uncommitted data. */
export function fatedDatabase(fate: Fate): OpenDatabase {
  return (path) => {
    const database: Database = openSqlite(path)
    return {
      exec(sql) {
        fate.meet(`sql ${sql.slice(0, 20)}`)
        database.exec(sql)
      },
      prepare(sql) {
        if (fate.isDead) throw new Killed()
        return database.prepare(sql)
      },
      close() {
        // The binding keeps a closed connection and its transaction as long as prepared statements exist.
        quietly(() => database.exec('ROLLBACK'))
        database.close()
      },
    }
  }
}
