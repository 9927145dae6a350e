import { createHash, randomUUID } from 'node:crypto'
import { isTrash } from '../changes/plan/note-paths.ts'
import { type PlannedWrite, planOperations } from '../changes/plan/plan-operations.ts'
import type { VaultView } from '../changes/plan/vault-view.ts'
import type { AppliedChange, ChangedFile, ChangeFate, ChangeProgress, ChangeSummary, Changes, KeptFile } from '../core/changes.ts'
import { RouxError } from '../core/errors.ts'
import type { Operation, WriteRequest, WriteResult, WrittenFile } from '../core/operations.ts'
import type { Scope } from '../indexing/indexer.ts'
import type { Exclusive, IndexingService } from '../indexing/service.ts'

export interface WriteParts {
  readonly service: Pick<IndexingService, 'exclusively'>
  readonly changes: Changes
  readonly openView: (access: Exclusive) => Promise<VaultView>
}

/** A dry run that can be executed. */
interface KeptPlan {
  readonly title: string
  readonly operations: readonly Operation[]
  /** Fingerprint of the changes shown to the caller. */
  readonly fingerprint: string
}

/** Operations that rewrite links in other files. */
const RELINKING: ReadonlySet<Operation['kind']> = new Set(['move', 'renameHeading', 'renameTag', 'clone'])

/** Maximum number of times a write is planned again because a file changed in the meantime. */
const ATTEMPTS = 4

/** Checks whether the caller specified the expected state of a file. */
function namesState(operation: Operation): boolean {
  return 'expectedHash' in operation && operation.expectedHash !== undefined
}

/** Checks whether links in other files are rewritten rather than only reported. */
function relinks(operation: Operation): boolean {
  return operation.kind === 'update' ? operation.title !== undefined : RELINKING.has(operation.kind)
}

/** More changes than other processes could make while a worker restarts. */
const LATELY = 1_000

/** Number of dry runs kept, both pending and executed. */
const PLANS_KEPT = 50

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= PLANS_KEPT) break
    kept.delete(oldest)
  }
}

/** Plans and applies writes one at a time, and updates the index before answering. */
export class WriteService {
  readonly #parts: WriteParts
  readonly #plans = new Map<string, KeptPlan>()
  /** Change ids of executed plans. */
  readonly #done = new Map<string, string>()
  /** Files that recovery left unchanged, by change id. */
  readonly #kept = new Map<string, readonly KeptFile[]>()

  constructor(parts: WriteParts) {
    this.#parts = parts
  }

  /** Completes or rolls back changes left by a crashed process. */
  async recover(): Promise<void> {
    await this.#parts.service.exclusively((access) => this.#recover(access))
  }

  async #recover(access: Exclusive): Promise<void> {
    const recovered = await this.#parts.changes.recover()
    for (const { id, kept } of recovered) if (kept.length > 0) this.#kept.set(id, kept)
    if (recovered.length > 0) await access.reconcile({ all: true })
  }

  /** Implements `Writing.run`. */
  async run(request: WriteRequest, progress: ChangeProgress = {}): Promise<WriteResult> {
    const plan = this.#asked(request)
    return await this.#parts.service.exclusively(async (access) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(access, request, { ...plan, ...progress })
        } catch (error) {
          // Thrown if a file changed between planning and applying. Operations that do not specify an expected state can be planned
          // again.
          const mayAgain = request.planId === undefined && !plan.operations.some(namesState) && attempt < ATTEMPTS
          if (!mayAgain || !(error instanceof RouxError) || error.code !== 'CONFLICT') throw error
          await access.reconcile({ all: true })
        }
      }
    })
  }

  async #attempt(
    access: Exclusive,
    request: WriteRequest,
    { title, operations, onBegun }: Pick<KeptPlan, 'title' | 'operations'> & ChangeProgress,
  ): Promise<WriteResult> {
    const { changes, ...planned } = await this.#plan(access, operations)
    const fingerprint = fingerprintOf({ changes, ...planned })
    if (request.planId !== undefined && this.#plans.get(request.planId)?.fingerprint !== fingerprint) throw stalePlan()
    if (request.dryRun) {
      this.#parts.changes.check(changes)
      return { ...planned, planId: this.#keep({ title, operations, fingerprint }) }
    }
    if (changes.length === 0) return planned
    const applied = await this.#parts.changes.apply(changes, { title, onBegun })
    if (request.planId !== undefined) this.#carriedOut(request.planId, applied.id)
    const notes = [...planned.notes, ...applied.notes]
    return await this.#indexed(access, scopeOf(applied), { ...planned, changeId: applied.id, notes })
  }

  /** Full comparison takes longer than a write, so unreported edits are detected only where they matter. */
  async #plan(access: Exclusive, operations: readonly Operation[]): Promise<PlannedWrite> {
    const plan = async () => {
      const view = await this.#parts.openView(access)
      return await planOperations(view, operations, () => this.#parts.changes.deletions())
    }
    // Links that must be updated can be in any file.
    if (!operations.some(relinks)) {
      const planned = await plan().catch((error: unknown) => {
        if (error instanceof RouxError && error.code === 'NODE_NOT_FOUND') return undefined
        throw error
      })
      if (planned !== undefined) return planned
    }
    await access.reconcile({ all: true })
    return await plan()
  }

  async undo(changeId: string, progress: ChangeProgress = {}): Promise<WriteResult> {
    return await this.#parts.service.exclusively(async (access) => {
      const applied = await this.#parts.changes.undo(changeId, progress)
      const result: WriteResult = {
        changeId: applied.id,
        files: applied.files.flatMap(takenBack),
        subjects: [],
        dangling: [],
        diff: '',
        notes: applied.notes,
      }
      return await this.#indexed(access, scopeOf(applied), result)
    })
  }

  async changes(limit: number): Promise<readonly ChangeSummary[]> {
    return this.#parts.changes.list(limit)
  }

  /** Returns the outcome of a recent change after recovery, or `undefined` if it is not in the record. */
  async fateOf(changeId: string): Promise<ChangeFate | undefined> {
    return await this.#parts.service.exclusively(async (access) => {
      await this.#recover(access)
      const change = this.#parts.changes.list(LATELY).find(({ id }) => id === changeId)
      return change === undefined ? undefined : { state: change.state, kept: this.#kept.get(changeId) ?? [] }
    })
  }

  /** Call it when idle. */
  tidy(): void {
    this.#parts.changes.tidy()
  }

  close(): void {
    this.#parts.changes.close()
  }

  #asked(request: WriteRequest): Pick<KeptPlan, 'title' | 'operations'> {
    if (request.planId === undefined) return request
    const plan = this.#plans.get(request.planId)
    if (plan !== undefined) return plan
    const change = this.#done.get(request.planId)
    if (change !== undefined) {
      throw new RouxError(
        'CONFLICT',
        `The plan ${JSON.stringify(request.planId)} was already carried out, as change ${change}.`,
        {
          hint: 'list_changes shows it, and undo reverts it. To do the same again, repeat the dry run.',
        },
      )
    }
    throw new RouxError('CONFLICT', `The plan ${JSON.stringify(request.planId)} no longer exists.`, {
      hint: 'Repeat the dry run: only the newest 50 plans are kept, until the indexing worker ends.',
    })
  }

  #carriedOut(planId: string, changeId: string): void {
    this.#plans.delete(planId)
    this.#done.set(planId, changeId)
    forgetOldest(this.#done)
  }

  #keep(plan: KeptPlan): string {
    const id = randomUUID()
    this.#plans.set(id, plan)
    forgetOldest(this.#plans)
    return id
  }

  /** The files are already changed, so a failure to update the index is not a failed write. */
  async #indexed(access: Exclusive, scope: Scope, result: WriteResult): Promise<WriteResult> {
    try {
      await access.reconcile(scope)
      return result
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { ...result, notes: [...result.notes, `It is written, but the index could not be brought up to date (${reason}).`] }
    }
  }
}

/** Returns the paths to compare again: all changed paths, the contents of moved folders, and new folders. */
function scopeOf({ id, paths, folders, files }: AppliedChange): Scope {
  const moves = files.flatMap(({ kind, path, to }) => (kind === 'move' && to !== undefined ? [{ from: path, to }] : []))
  return { all: false, folders: folders.map((path) => ({ path, recursive: true })), files: paths, moves, change: id }
}

/** Returns a fingerprint that is equal if a new plan makes the same changes to the same bytes. */
function fingerprintOf({ changes, files }: PlannedWrite): string {
  const hash = createHash('sha256')
  for (const change of changes) {
    const { bytes, ...rest } = { bytes: new Uint8Array(0), ...change }
    hash.update(JSON.stringify(rest)).update('\0').update(bytes).update('\0')
  }
  // Files inside the folder.
  for (const { from, to } of files) hash.update(JSON.stringify([from, to]))
  return hash.digest('hex')
}

/** Returns the outcome for a file of an undone change. Folders have none. */
function takenBack({ kind, path, to }: ChangedFile): WrittenFile | readonly [] {
  switch (kind) {
    case 'create':
      return { kind: 'created', to: path, relinked: [] }
    case 'remove':
      return { kind: 'deleted', from: path, relinked: [] }
    case 'replace':
      return { kind: 'changed', from: path, to: path, relinked: [] }
    case 'move':
      if (to === undefined || isTrash(to)) return { kind: 'deleted', from: path, relinked: [] }
      return { kind: 'moved', from: path, to, relinked: [] }
    case 'makeFolder':
    case 'removeFolder':
      return []
  }
}

function stalePlan(): RouxError {
  return new RouxError('CONFLICT', 'Files in the plan have changed since its dry run. Nothing was written.', {
    hint: 'Repeat the dry run and check it.',
  })
}
