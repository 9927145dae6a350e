import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Page } from '../../core/store.ts'
import type { Connection, Values } from './server/connection.ts'
import { requireFormat } from './server/schema.ts'

/** The maximum number of cached results. Each folder has its own, and there may be many folders. */
const MAX_CACHED = 50

export interface VaultState {
  readonly generation: number
  readonly lineage: string | null
  readonly searchWrites: number
  /** The times of the last commit, of the feeder's last heartbeat, and of this result, in milliseconds on the server's clock. */
  readonly committedAt: number | null
  readonly heartbeatAt: number | null
  readonly now: number
  /** True while a new generation is only partly visible. */
  readonly isPartlyVisible: boolean
}

export interface VaultFacts extends VaultState {
  readonly complete: boolean
  readonly files: number
  readonly outside: string | null
  readonly mode: string | null
  readonly embedders: readonly StoredEmbedder[]
}

/** Returns a string for a state. Cached results are valid while the string stays the same. */
export function stateOf(state: VaultState | undefined): string {
  return `${state?.lineage} ${state?.generation} ${state?.searchWrites}`
}

export function isSameGeneration(a: VaultState | undefined, b: VaultState | undefined): boolean {
  return a?.generation === b?.generation && a?.lineage === b?.lineage
}

export interface StoredEmbedder {
  readonly embedder: string
  readonly dimensions: number | null
  readonly indexed: boolean | null
}

/** Announcements that are older than this many milliseconds are ignored. */
const ANNOUNCED = 60_000

/** A clause that binds everything that `STATE` refers to. */
const VAULT = `MATCH (v:RouxVault {vault: $vault}) MATCH (p:RouxPending {vault: $vault})
  OPTIONAL MATCH (w:RouxSearch {vault: $vault}) OPTIONAL MATCH (h:RouxFeeder {vault: $vault})`

const STATE = `v.generation AS generation, v.lineage AS lineage, coalesce(w.writes, 0) AS searchWrites,
  v.fed AS committedAt, h.heard AS heartbeatAt, timestamp() AS now,
  p.generation > v.generation AND p.at > timestamp() - ${ANNOUNCED} AS isPartlyVisible`

/** Maximum wait for a generation to become visible, and time between checks, in milliseconds. */
const VISIBILITY_WAIT = { most: 5_000, look: 50 }

/** Checks the folder. @throws RouxError `STORE_UNAVAILABLE` if the vault's name belongs to another folder */
export function requireSameFolder({ origin, vault }: Connection, folder: string | null): void {
  if (origin === undefined || folder === null || folder === origin.folder) return
  throw new RouxError('STORE_UNAVAILABLE', `The database already has a vault "${vault}", fed from another folder.`, {
    hint: `Give this vault a different name in the settings (vaults.<name>: <folder>). If you moved the folder, remove the old data: roux feed --remove ${vault}.`,
  })
}

/** @returns `undefined` if the vault has never been fed @throws RouxError `STORE_UNAVAILABLE` */
export async function readFacts(connection: Connection, signal?: AbortSignal): Promise<VaultFacts | undefined> {
  const until = performance.now() + VISIBILITY_WAIT.most
  for (;;) {
    const [row] = await connection.read<VaultFacts & { readonly version: number | null; readonly folder: string | null }>(
      `OPTIONAL MATCH (s:RouxSchema {name: 'schema'}) WITH s.version AS version
       ${VAULT}
       RETURN version, v.folder AS folder, v.mode AS mode, ${STATE}, coalesce(v.complete, false) AS complete, coalesce(v.files, 0) AS files,
              v.outside AS outside,
              COLLECT { MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > '' RETURN e {.embedder, .dimensions, .indexed} } AS embedders`,
      { vault: connection.vault },
      signal,
    )
    requireFormat(row?.version ?? undefined)
    requireSameFolder(connection, row?.folder ?? null)
    if (row?.isPartlyVisible !== true || performance.now() > until) return row
    await new Promise((resolve) => setTimeout(resolve, VISIBILITY_WAIT.look))
  }
}

export interface QuestionOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * A callback that receives the vault's state with each result, or `undefined` if the vault has been removed.
   * @throws SnapshotOutdated to reject the result
   */
  readonly onState: (state: VaultState | undefined) => void
}

interface Question {
  readonly cypher: string
  readonly parameters: Values
  readonly resolve: (rows: readonly never[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends concurrent queries as one statement. Each result includes the vault's state, read after the rows. Writers announce a
 * generation before it becomes visible, so a mix of two generations is always detected.
 */
export class Questions {
  readonly #connection: Connection
  readonly #options: QuestionOptions
  #waiting: Question[] = []
  #isConfirmed = false

  constructor(connection: Connection, options: QuestionOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** True after the first result. */
  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Sends a query, which must return each row as `row`. `$vault` is always set. */
  ask<T>(cypher: string, parameters: Values = {}): Promise<readonly T[]> {
    return new Promise<readonly T[]>((resolve, reject) => {
      // The queries are sent later, to include those of continuations that are about to run.
      if (this.#waiting.length === 0) setImmediate(() => void this.#send())
      this.#waiting.push({ cypher, parameters, resolve, reject })
    })
  }

  async one<T>(cypher: string, parameters: Values = {}): Promise<T | undefined> {
    return (await this.ask<T>(cypher, parameters))[0]
  }

  async #send(): Promise<void> {
    const questions = this.#waiting
    this.#waiting = []
    try {
      const answers = await this.#answersTo(questions)
      for (const [at, { resolve }] of questions.entries()) resolve((answers.get(at) ?? []) as readonly never[])
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }

  /** Returns rows by query index. Queries without rows may be missing. */
  async #answersTo(questions: readonly Question[]): Promise<ReadonlyMap<number, readonly unknown[]>> {
    const { signal, onState } = this.#options
    const { vault } = this.#connection
    const values = Object.fromEntries(questions.map(({ parameters }, at) => [`q${at}`, parameters]))
    const [answer] = await this.#connection.read<VaultState & { readonly answers: readonly Answer[] }>(
      `CALL () { ${questions.map(partOf).join('\n UNION ALL ')} } WITH collect({at: at, rows: rows}) AS answers
       ${VAULT} RETURN answers, ${STATE}`,
      { vault, ...values },
      signal,
    )
    const { answers = [], ...state } = answer ?? {}
    onState(answer && (state as VaultState))
    this.#isConfirmed = true
    return new Map(answers.map(({ at, rows }) => [at, rows]))
  }
}

interface Answer {
  readonly at: number
  readonly rows: readonly unknown[]
}

/** Each query collects its own rows, because Cypher repeats a list in every later row. */
function partOf({ cypher }: Question, at: number): string {
  const renamed = cypher.replaceAll(/\$(?!vault\b)(\w+)/g, `$q${at}.$1`)
  return `CALL () { ${renamed} } RETURN ${at} AS at, collect(row) AS rows`
}

export interface QuestionContext {
  readonly questions: Questions
  readonly vault: string
  readonly embedders: readonly StoredEmbedder[]
  readonly names: Map<NodeId, readonly string[]>
  /** Caches a result for the whole vault, once per state. */
  readonly cached: <T>(name: string, ask: () => Promise<T>) => Promise<T>
  readonly idOf: (bare: string) => NodeId
  /** Removes the vault prefix from an id. */
  readonly bare: (id: string) => string
}

/** Returns the range of a page. The database limits list indexes to 32 bits. */
export function rangeOf({ offset, limit }: Page) {
  return { offset: Math.min(MAX_INDEX, offset), end: Math.min(MAX_INDEX, offset + limit) }
}

const MAX_INDEX = 2 ** 31 - 1

/** A cache of results that require a scan of the whole vault, until the vault's state changes. */
export class KeptAnswers {
  #state = ''
  readonly #answers = new Map<string, unknown>()

  async of<T>(state: string, name: string, read: () => Promise<T>): Promise<T> {
    if (this.#state === state && this.#answers.has(name)) return this.#answers.get(name) as T
    const answer = await read()
    if (this.#state !== state) {
      this.#answers.clear()
      this.#state = state
    }
    const [oldest] = this.#answers.keys()
    if (this.#answers.size >= MAX_CACHED && oldest !== undefined) this.#answers.delete(oldest)
    this.#answers.set(name, answer)
    return answer
  }
}
