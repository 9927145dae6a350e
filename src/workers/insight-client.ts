import { deserialize, serialize } from 'node:v8'
import { messageOf, RouxError } from '../core/errors.ts'
import { type NodeId, toNodeId, withoutVault } from '../core/ids.ts'
import type { FollowOptions, InsightKind, InsightKinds, InsightState, Insights, LatestInsight } from '../core/insight/insight.ts'
import type { FileVersion, SharedResult, Snapshot, Store } from '../core/store.ts'
import type { Texts } from '../core/texts.ts'
import { inTime } from '../core/waiting.ts'
import { INSIGHT_VERSION } from '../insight/compute-insight.ts'
import type { NoteFacts, RunPlan, RunResult, RunSubject, TextOfNote } from '../insight/insight-run.ts'

export interface InsightSteps {
  addNotes(notes: readonly NoteFacts[]): Promise<void>
  plan(): Promise<RunPlan>
  addTexts(texts: readonly TextOfNote[]): Promise<void>
  /** @param former the last saved communities, packed */
  finish(former: Uint8Array | undefined): Promise<RunResult>
  close(): void
}

export interface InsightRuns {
  /** Begins a run. `file` is a cache of per-note results. The subject's arrays are transferred. */
  beginInsight(file: string, subject: RunSubject): Promise<InsightSteps>
}

export interface InsightClientParts<Kind extends InsightKind = 'whole'> {
  readonly kind: Kind
  /** Prefix of all ids. */
  readonly name?: string | undefined
  readonly store: Pick<Store, 'read' | 'results'>
  readonly texts: Texts
  readonly runs: InsightRuns
  readonly file: string
  /** The state, for the kind of run that computes communities. */
  readonly state?: Pick<InsightState, 'communities' | 'keepCommunities'>
  readonly isIgnored: (path: string) => boolean
  /** The ignore rules as text. Servers with different rules must not share results. */
  readonly ignored?: string
  readonly languages?: readonly string[]
  readonly isMaintainedElsewhere?: () => boolean
}

const COMMUNITIES = 'communities'

/** A result for all servers that share the store. Its ids omit the vault's name. */
interface Packed {
  readonly recipe: string
  readonly insight: Omit<InsightKinds[InsightKind], 'ids'> & { readonly ids: readonly string[] }
}

const FACTS_BATCH = 1_000
const TEXTS_BATCH = 64
/** The number of attempts while the vault keeps changing. The last one ignores changes. */
const MAX_RESTARTS = 3
const MAX_ATTEMPTS = 2
/** Milliseconds before a retry for the same generation. */
const PAUSE = 60_000

/** A client that computes insights. It reads notes in batches, so other work can run in between, and caches the latest result. */
export class InsightClient<Kind extends InsightKind = 'whole'> implements Insights<Kind> {
  readonly #parts: InsightClientParts<Kind>
  readonly #end = new AbortController()
  #last: InsightKinds[Kind] | undefined
  #running: Promise<void> | undefined
  #progress: { readonly done: number; readonly total: number } | undefined
  #wantedGeneration: number | undefined
  /** The time until which runs for `generation` are blocked. */
  #pause = { generation: -1, until: 0 }

  constructor(parts: InsightClientParts<Kind>) {
    this.#parts = parts
  }

  async follow({ wait, signal }: FollowOptions): Promise<LatestInsight<Kind> | undefined> {
    const now = await this.#parts.store.read(async ({ generation, complete }) => ({ generation, complete }), signal)
    if (this.#last?.generation !== now.generation) await this.#takeShared(now.generation, signal)
    const last = this.#last
    const isPaused = this.#pause.generation === now.generation && performance.now() < this.#pause.until
    if (last?.generation === now.generation && (isPaused || last.unread.length === 0)) return { insight: last, isCurrent: true }
    // A rebuilt store starts its generations again, so the last result may have a higher one.
    const isFollowed = last !== undefined && last.generation < now.generation && this.#parts.isMaintainedElsewhere?.() === true
    const isAwaited = isFollowed || (isPaused && last !== undefined)
    const run = now.complete && !isAwaited ? this.#start(now.generation) : undefined
    if (last !== undefined) return { insight: last, isCurrent: false }
    if (run !== undefined && wait > 0) await inTime(run, wait, signal)
    return this.#last === undefined ? undefined : { insight: this.#last, isCurrent: this.#last.generation >= now.generation }
  }

  progress(): { readonly done: number; readonly total: number } | undefined {
    return this.#progress
  }

  /** @throws RouxError `PROVIDER_ERROR` */
  async update(): Promise<void> {
    const { generation, complete } = await this.#read(async (snapshot) => snapshot)
    if (this.#last?.generation !== generation) await this.#takeShared(generation, this.#end.signal)
    const isPaused = this.#pause.generation === generation && performance.now() < this.#pause.until
    if (complete && !isPaused && this.#last?.generation !== generation) await this.#start(generation)
  }

  async #takeShared(generation: number, signal: AbortSignal | undefined): Promise<void> {
    const { store, kind } = this.#parts
    const latest = this.#last
    const than = latest !== undefined && latest.generation < generation ? latest.generation : -1
    const shared = await store.results?.newer(kind, than, signal)
    // A newer result may have arrived in the meantime.
    if (shared !== undefined && this.#last === latest) this.#last = this.#unpack(shared.bytes) ?? latest
  }

  async #publish(insight: InsightKinds[Kind]): Promise<void> {
    const { store, kind, isMaintainedElsewhere } = this.#parts
    if (store.results === undefined || insight.unread.length > 0 || isMaintainedElsewhere?.() === true) return
    await store.results.keep(kind, { generation: insight.generation, bytes: this.#pack(insight) }).catch(() => {})
  }

  /** A string that identifies algorithm version, ignored paths and languages. */
  get recipe(): string {
    return JSON.stringify([INSIGHT_VERSION, this.#parts.ignored ?? '', this.#parts.languages ?? []])
  }

  #pack(insight: InsightKinds[Kind]): Uint8Array {
    const ids = insight.ids.map((id) => withoutVault(id, this.#parts.name))
    return serialize({ recipe: this.recipe, insight: { ...insight, ids } } satisfies Packed)
  }

  #unpack(bytes: Uint8Array): InsightKinds[Kind] | undefined {
    try {
      const { recipe, insight } = deserialize(bytes) as Packed
      if (recipe !== this.recipe) return undefined
      return { ...insight, ids: insight.ids.map((id) => toNodeId(id, this.#parts.name)) } as unknown as InsightKinds[Kind]
    } catch {
      // The result cannot be read, because a newer version of Node.js may have written it.
      return undefined
    }
  }

  close(): void {
    this.#end.abort(new Error('the vault is closed'))
  }

  #start(generation: number): Promise<void> {
    if (this.#running !== undefined) {
      this.#wantedGeneration = generation
      return this.#running
    }
    this.#wantedGeneration = undefined
    const run = this.#run(generation).finally(() => {
      this.#running = undefined
      this.#progress = undefined
    })
    this.#running = run
    run.then(
      () => {
        if (this.#wantedGeneration !== undefined && this.#wantedGeneration !== this.#last?.generation)
          void this.#start(this.#wantedGeneration)
      },
      () => {},
    )
    return run
  }

  async #run(generation: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#last = await this.#compute()
        if (this.#last.unread.length > 0) this.#pauseAt(this.#last.generation)
        break
      } catch (error) {
        this.#end.signal.throwIfAborted()
        if (attempt < MAX_ATTEMPTS) continue
        this.#pauseAt(generation)
        throw insightError(error)
      }
    }
    await this.#publish(this.#last)
  }

  #pauseAt(generation: number): void {
    this.#pause = { generation, until: performance.now() + PAUSE }
  }

  async #compute(): Promise<InsightKinds[Kind]> {
    for (let beginning = 1; ; beginning++) {
      const insight = await this.#tryOnce(beginning === MAX_RESTARTS)
      if (insight !== undefined) return insight
    }
  }

  /** @returns `undefined` if the vault changed during the run, except on the last attempt */
  async #tryOnce(isLast: boolean): Promise<InsightKinds[Kind] | undefined> {
    const { generation, topology, ids } = await this.#read(async (snapshot) => {
      const topology = await snapshot.topology()
      return { generation: snapshot.generation, topology, ids: topology.ids() }
    })
    const steps = await this.#parts.runs.beginInsight(this.#parts.file, {
      kind: this.#parts.kind,
      offsets: topology.offsets,
      targets: topology.targets,
      ...(this.#parts.languages === undefined ? undefined : { languages: this.#parts.languages }),
    })
    try {
      const versions: (FileVersion | undefined)[] = []
      for (let from = 0; from < ids.length; from += FACTS_BATCH) {
        const part = await this.#read((snapshot) => this.#factsOf(snapshot, ids.slice(from, from + FACTS_BATCH)))
        if (part.generation !== generation && !isLast) return undefined
        for (const version of part.versions) versions.push(version)
        await steps.addNotes(part.notes)
        this.#end.signal.throwIfAborted()
      }
      const plan = await steps.plan()
      const unread = 'lacking' in plan ? await this.#addTexts(steps, plan.lacking, versions) : []
      const { order, isSettled, communitiesKept, computed } =
        'result' in plan ? plan.result : await steps.finish(await this.#formerCommunities())
      // Unreadable notes are missing from the communities, so their ids would go to other notes.
      if (isSettled && communitiesKept !== undefined) await this.#keepCommunities({ generation, bytes: communitiesKept })
      if (!isSettled) this.#pauseAt(generation)
      const idOf = (note: number): NodeId => ids[note] as NodeId
      // The cast is safe, because a run and its result have the same kind.
      return { generation, ids: Array.from(order, idOf), unread: unread.map(idOf), ...computed } as unknown as InsightKinds[Kind]
    } finally {
      steps.close()
    }
  }

  /** Returns the former communities, preferably shared ones, so all servers use the same ids. */
  async #formerCommunities(): Promise<Uint8Array | undefined> {
    const { store, state } = this.#parts
    if (state === undefined) return undefined
    return (await store.results?.newer(COMMUNITIES, -1, this.#end.signal))?.bytes ?? state.communities()
  }

  async #keepCommunities(latestResult: SharedResult): Promise<void> {
    const { store, state, isMaintainedElsewhere } = this.#parts
    state?.keepCommunities(latestResult.bytes)
    if (isMaintainedElsewhere?.() !== true) await store.results?.keep(COMMUNITIES, latestResult).catch(() => {})
  }

  async #factsOf(snapshot: Snapshot, ids: readonly NodeId[]) {
    const [versions, names] = await Promise.all([snapshot.versions(ids), snapshot.namesOf(ids)])
    const notes = ids.map((id, at): NoteFacts => {
      const version = versions[at]
      const isIgnored = version === undefined || this.#parts.isIgnored(version.path)
      const path = version?.path ?? ''
      return { id: withoutVault(id, this.#parts.name), path, hash: version?.hash ?? '', names: names[at] ?? [], isIgnored }
    })
    return { generation: snapshot.generation, versions, notes }
  }

  /** @returns the notes whose files do not respond */
  async #addTexts(
    steps: InsightSteps,
    lacking: Uint32Array,
    versions: readonly (FileVersion | undefined)[],
  ): Promise<readonly number[]> {
    const unread: number[] = []
    let handedOver: Promise<void> | undefined
    for (let from = 0; from < lacking.length; from += TEXTS_BATCH) {
      this.#progress = { done: from, total: lacking.length }
      const part = [...lacking.subarray(from, from + TEXTS_BATCH)]
      const read = await this.#parts.texts.read(
        part.map((note) => versions[note] as FileVersion),
        this.#end.signal,
      )
      // Reading overlaps with the processing of the previous batch.
      await handedOver
      this.#end.signal.throwIfAborted()
      handedOver = steps.addTexts(part.map((note, at) => ({ note, text: typeof read[at] === 'string' ? undefined : read[at] })))
      // The handler avoids an unhandled rejection. The next `await` handles errors.
      handedOver.catch(() => {})
      unread.push(...part.filter((_, at) => read[at] === 'unread'))
    }
    await handedOver
    this.#progress = { done: lacking.length, total: lacking.length }
    return unread
  }

  #read<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#parts.store.read(use, this.#end.signal)
  }
}

function insightError(cause: unknown): RouxError {
  const reason = messageOf(cause)
  return new RouxError('PROVIDER_ERROR', `The vault could not be analyzed: ${reason}.`, {
    hint: 'Call again to retry.',
    isTransient: true,
    cause,
  })
}
