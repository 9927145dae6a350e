import { deserialize, serialize } from 'node:v8'
import { RouxError } from '../core/errors.ts'
import { type NodeId, toNodeId, withoutVault } from '../core/ids.ts'
import type { Followed, FollowOptions, InsightKind, InsightKinds, Insights } from '../core/insight/insight.ts'
import type { InsightState } from '../core/insight/insight-state.ts'
import type { SharedResult } from '../core/shared-results.ts'
import type { FileVersion, Snapshot, Store } from '../core/store.ts'
import type { Texts } from '../core/texts.ts'
import { inTime } from '../core/waiting/aborting.ts'
import { INSIGHT_VERSION } from '../insight/compute-insight.ts'
import type { NoteFacts, RunPlan, RunResult, RunSubject, TextOfNote } from '../insight/insight-run.ts'

/** The steps of one run over a vault as a whole, off the main thread. */
export interface InsightSteps {
  /** In the order of the topology. */
  addNotes(notes: readonly NoteFacts[]): Promise<void>
  plan(): Promise<RunPlan>
  addTexts(texts: readonly TextOfNote[]): Promise<void>
  /** `former`: the communities that were kept last, packed. */
  finish(former: Uint8Array | undefined): Promise<RunResult>
  /** Gives the memory back. */
  close(): void
}

export interface InsightRuns {
  /** Starts a run. `file` caches the records of notes; the arrays are transferred. */
  beginInsight(file: string, subject: RunSubject): Promise<InsightSteps>
}

export interface InsightClientParts<Kind extends InsightKind = 'whole'> {
  /** What is computed. */
  readonly kind: Kind
  /** The vault's name, the prefix of its ids, if it has one. */
  readonly name?: string | undefined
  readonly store: Pick<Store, 'read' | 'results'>
  readonly texts: Texts
  readonly runs: InsightRuns
  readonly file: string
  /** Where communities are kept, of the run that finds them. */
  readonly state?: Pick<InsightState, 'communities' | 'keepCommunities'>
  /** True if a path is left out. */
  readonly isIgnored: (path: string) => boolean
  /** The rule as text: others who share the store may leave out other paths. */
  readonly ignored?: string
  /** True if another process is about to update the store. */
  readonly isKeptElsewhere?: () => boolean
}

/** The name that the store has for the communities that were kept last, packed. */
const COMMUNITIES = 'communities'

/** Results stored for others; ids lack the vault's name, which each server adds. */
interface Packed {
  readonly recipe: string
  readonly insight: Omit<InsightKinds[InsightKind], 'ids'> & { readonly ids: readonly string[] }
}

/** Notes whose facts are read at once, and texts. */
const FACTS = 1_000
const TEXTS = 64
/** How often a run begins again because the vault moved on, before it takes what it finds. */
const BEGINNINGS = 3
/** How often a run is tried that failed. */
const ATTEMPTS = 2
/** How long after a run that lacked texts, or failed with an older result at hand, the same generation is not tried again, ms. */
const PAUSE = 60_000

/** Collects the inputs of an insight and keeps the latest result. Reads in parts and lets other work run between them. */
export class InsightClient<Kind extends InsightKind = 'whole'> implements Insights<Kind> {
  readonly #parts: InsightClientParts<Kind>
  readonly #end = new AbortController()
  #last: InsightKinds[Kind] | undefined
  #running: Promise<void> | undefined
  #progress: { readonly done: number; readonly total: number } | undefined
  /** The generation that someone asked for while a run was under way. */
  #wanted: number | undefined
  /** Skip another attempt until this time. */
  #pause = { generation: -1, until: 0 }

  constructor(parts: InsightClientParts<Kind>) {
    this.#parts = parts
  }

  async follow({ wait, signal }: FollowOptions): Promise<Followed<Kind> | undefined> {
    const now = await this.#parts.store.read(async ({ generation, complete }) => ({ generation, complete }), signal)
    if (this.#last?.generation !== now.generation) await this.#takeShared(now.generation, signal)
    const last = this.#last
    const isPaused = this.#pause.generation === now.generation && performance.now() < this.#pause.until
    if (last?.generation === now.generation && (isPaused || last.unread.length === 0)) return { insight: last, isCurrent: true }
    // A vault fed from scratch has a lower generation, so earlier results are useless.
    const isFollowed = last !== undefined && last.generation < now.generation && this.#parts.isKeptElsewhere?.() === true
    const isAwaited = isFollowed || (isPaused && last !== undefined)
    const run = now.complete && !isAwaited ? this.#start(now.generation) : undefined
    if (last !== undefined) return { insight: last, isCurrent: false }
    if (run !== undefined && wait > 0) await inTime(run, wait, signal)
    return this.#last === undefined ? undefined : { insight: this.#last, isCurrent: this.#last.generation >= now.generation }
  }

  progress(): { readonly done: number; readonly total: number } | undefined {
    return this.#progress
  }

  /** Has the one of this generation there for all who share the store, and waits for it. @throws RouxError `PROVIDER_ERROR` */
  async update(): Promise<void> {
    const { generation, complete } = await this.#read(async (snapshot) => snapshot)
    if (this.#last?.generation !== generation) await this.#takeShared(generation, this.#end.signal)
    const isPaused = this.#pause.generation === generation && performance.now() < this.#pause.until
    if (complete && !isPaused && this.#last?.generation !== generation) await this.#start(generation)
  }

  /** Takes over what others who share the store computed since. */
  async #takeShared(generation: number, signal: AbortSignal | undefined): Promise<void> {
    const { store, kind } = this.#parts
    const known = this.#last
    const than = known !== undefined && known.generation < generation ? known.generation : -1
    const found = await store.results?.newer(kind, than, signal)
    // Another one may have come while this one was asked for.
    if (found !== undefined && this.#last === known) this.#last = this.#unpack(found.bytes) ?? known
  }

  /** Has those who share the store take it over; where that fails they compute it themselves. */
  async #share(insight: InsightKinds[Kind]): Promise<void> {
    const { store, kind, isKeptElsewhere } = this.#parts
    if (store.results === undefined || insight.unread.length > 0 || isKeptElsewhere?.() === true) return
    await store.results.keep(kind, { generation: insight.generation, bytes: this.#pack(insight) }).catch(() => {})
  }

  /** Identifies the inputs apart from the notes: our version and the left-out paths. */
  get #recipe(): string {
    return JSON.stringify([INSIGHT_VERSION, this.#parts.ignored ?? ''])
  }

  #pack(insight: InsightKinds[Kind]): Uint8Array {
    const ids = insight.ids.map((id) => withoutVault(id, this.#parts.name))
    return serialize({ recipe: this.#recipe, insight: { ...insight, ids } } satisfies Packed)
  }

  #unpack(bytes: Uint8Array): InsightKinds[Kind] | undefined {
    try {
      const { recipe, insight } = deserialize(bytes) as Packed
      if (recipe !== this.#recipe) return undefined
      return { ...insight, ids: insight.ids.map((id) => toNodeId(id, this.#parts.name)) } as unknown as InsightKinds[Kind]
    } catch {
      // Written by a newer Node.js.
      return undefined
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#end.abort(new Error('the vault is closed'))
  }

  #start(generation: number): Promise<void> {
    if (this.#running !== undefined) {
      this.#wanted = generation
      return this.#running
    }
    this.#wanted = undefined
    const run = this.#run(generation).finally(() => {
      this.#running = undefined
      this.#progress = undefined
    })
    this.#running = run
    run.then(
      () => {
        if (this.#wanted !== undefined && this.#wanted !== this.#last?.generation) void this.#start(this.#wanted)
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
        if (attempt < ATTEMPTS) continue
        this.#pauseAt(generation)
        throw failed(error)
      }
    }
    await this.#share(this.#last)
  }

  #pauseAt(generation: number): void {
    this.#pause = { generation, until: performance.now() + PAUSE }
  }

  async #compute(): Promise<InsightKinds[Kind]> {
    for (let beginning = 1; ; beginning++) {
      const insight = await this.#tryOnce(beginning === BEGINNINGS)
      if (insight !== undefined) return insight
    }
  }

  /** `undefined` when the vault has moved on, unless this is the last attempt. */
  async #tryOnce(isLast: boolean): Promise<InsightKinds[Kind] | undefined> {
    const { generation, topology, ids } = await this.#read(async (snapshot) => {
      const found = await snapshot.topology()
      return { generation: snapshot.generation, topology: found, ids: found.ids() }
    })
    const steps = await this.#parts.runs.beginInsight(this.#parts.file, {
      kind: this.#parts.kind,
      offsets: topology.offsets,
      targets: topology.targets,
    })
    try {
      const versions: (FileVersion | undefined)[] = []
      for (let from = 0; from < ids.length; from += FACTS) {
        const part = await this.#read((snapshot) => this.#factsOf(snapshot, ids.slice(from, from + FACTS)))
        if (part.generation !== generation && !isLast) return undefined
        for (const version of part.versions) versions.push(version)
        await steps.addNotes(part.notes)
        this.#end.signal.throwIfAborted()
      }
      const plan = await steps.plan()
      const unread = 'lacking' in plan ? await this.#addTexts(steps, plan.lacking, versions) : []
      const { order, isSettled, communitiesKept, computed } =
        'result' in plan ? plan.result : await steps.finish(await this.#formerCommunities())
      // Ids given by a result that lacks texts would be taken from notes again by the next one.
      if (isSettled && communitiesKept !== undefined) await this.#keepCommunities({ generation, bytes: communitiesKept })
      if (!isSettled) this.#pauseAt(generation)
      const idOf = (note: number): NodeId => ids[note] as NodeId
      // A run computes what its kind says.
      return { generation, ids: Array.from(order, idOf), unread: unread.map(idOf), ...computed } as unknown as InsightKinds[Kind]
    } finally {
      steps.close()
    }
  }

  /** Starts from the communities everyone shares, so ids agree. */
  async #formerCommunities(): Promise<Uint8Array | undefined> {
    const { store, state } = this.#parts
    if (state === undefined) return undefined
    return (await store.results?.newer(COMMUNITIES, -1, this.#end.signal))?.bytes ?? state.communities()
  }

  async #keepCommunities(kept: SharedResult): Promise<void> {
    const { store, state, isKeptElsewhere } = this.#parts
    state?.keepCommunities(kept.bytes)
    if (isKeptElsewhere?.() !== true) await store.results?.keep(COMMUNITIES, kept).catch(() => {})
  }

  async #factsOf(snapshot: Snapshot, ids: readonly NodeId[]) {
    const [versions, names] = await Promise.all([snapshot.versions(ids), snapshot.namesOf(ids)])
    const notes = ids.map((id, at): NoteFacts => {
      const version = versions[at]
      const isIgnored = version === undefined || this.#parts.isIgnored(version.path)
      return { id: withoutVault(id, this.#parts.name), hash: version?.hash ?? '', names: names[at] ?? [], isIgnored }
    })
    return { generation: snapshot.generation, versions, notes }
  }

  /** Hands the texts of notes over, by their numbers; returns those whose files do not answer. */
  async #addTexts(
    steps: InsightSteps,
    lacking: Uint32Array,
    versions: readonly (FileVersion | undefined)[],
  ): Promise<readonly number[]> {
    const unread: number[] = []
    let handedOver: Promise<void> | undefined
    for (let from = 0; from < lacking.length; from += TEXTS) {
      this.#progress = { done: from, total: lacking.length }
      const part = [...lacking.subarray(from, from + TEXTS)]
      const read = await this.#parts.texts.read(
        part.map((note) => versions[note] as FileVersion),
        this.#end.signal,
      )
      // Files are read while the texts before are looked at.
      await handedOver
      this.#end.signal.throwIfAborted()
      handedOver = steps.addTexts(part.map((note, at) => ({ note, text: typeof read[at] === 'string' ? undefined : read[at] })))
      // A failure is awaited below; until then nothing handles it.
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

function failed(cause: unknown): RouxError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RouxError('PROVIDER_ERROR', `The vault could not be analysed: ${reason}.`, {
    hint: 'Call again to retry.',
    isTransient: true,
    cause,
  })
}
