import { onTestFinished } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { type ChangesAnswer, type ChangesArguments, changesSince } from '../../src/app/insight/changes-since.ts'
import { openLogReader, openLogWriter } from '../../src/changes/graph-log.ts'
import type { OpenDatabase } from '../../src/changes/record/state-database.ts'
import type { Scope } from '../../src/indexing/indexer.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { fakeCore } from './fake-store.ts'
import { openIndexer } from './indexers.ts'
import { embeddedEngine, MemoryVault } from './memory-vault.ts'
import { temporaryFolder } from './temporary.ts'

export const HOUR = 3_600_000
/** The time at which the log of a test begins. It is noon, so no day ends in the log. */
export const NOON = new Date(2026, 2, 4, 12).getTime()

export interface LoggedOptions {
  readonly stateFolder?: string
  readonly root?: string
  readonly name?: string
  readonly openDatabase?: OpenDatabase
  readonly isIgnored?: (path: string) => boolean
}

/** An in-memory vault with its log of changes on disk and a settable clock. */
export class LoggedVault {
  readonly vault: MemoryVault
  readonly stateFolder: string
  readonly root: string
  readonly engine
  readonly log
  readonly indexer
  readonly core: GraphCore
  /** Why the log cannot be written. */
  problem: string | undefined
  clock = NOON

  constructor(
    files: Readonly<Record<string, string>>,
    {
      stateFolder = temporaryFolder(),
      root = '/notes',
      name,
      openDatabase = (path) => openSqlite(path),
      isIgnored,
    }: LoggedOptions = {},
  ) {
    this.vault = new MemoryVault(files)
    this.stateFolder = stateFolder
    this.root = root
    this.engine = embeddedEngine(undefined, name)
    this.log = openLogWriter({
      stateFolder,
      root,
      openDatabase,
      retention: { days: 30, bytes: 20_000_000 },
      onProblem: (reason) => {
        this.problem = reason
      },
      now: () => this.clock,
    })
    this.indexer = openIndexer(this.vault, this.engine.index, this.log)
    this.core = {
      ...fakeCore(this.engine.store),
      ...(name === undefined ? {} : { name }),
      ...(isIgnored === undefined ? {} : { isIgnored }),
      graphLog: openLogReader({ stateFolder, root, openDatabase }),
    }
    onTestFinished(() => this.log.close())
  }

  /** Brings the index up to date. The generation itself is written later. */
  async index(scope: Scope = { all: true }): Promise<this> {
    await this.indexer.reconcile(scope)
    await new Promise((resolve) => setImmediate(resolve))
    return this
  }

  /** Writes and removes files in one commit, an hour later. */
  async change(files: Readonly<Record<string, string | undefined>>, scope?: Scope): Promise<void> {
    this.clock += HOUR
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) this.vault.remove(path)
      else this.vault.write(path, text)
    }
    await this.index(scope)
  }

  async ask(args: Partial<ChangesArguments> = {}): Promise<{ readonly value: ChangesAnswer; readonly said: readonly string[] }> {
    const { value, warnings } = await changesSince(this.core, { limit: 20, ...args }, {}, () => new Date(this.clock))
    return { value, said: warnings.map(({ message }) => message) }
  }

  async cursor(): Promise<string> {
    return (await this.ask()).value.cursor ?? ''
  }
}

export async function loggedVault(files: Readonly<Record<string, string>>, options?: LoggedOptions): Promise<LoggedVault> {
  return await new LoggedVault(files, options).index()
}
