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

/** A dry run that may be executed. */
interface KeptPlan {
  readonly title: string
  readonly operations: readonly Operation[]
  /** The fingerprint of the changes shown. */
  readonly fingerprint: string
}

/** Operations that write links in other files again. */
const RELINKING: ReadonlySet<Operation['kind']> = new Set(['move', 'renameHeading', 'renameTag', 'clone'])

/** How often a write is planned on what someone else wrote meanwhile. */
const ATTEMPTS = 4

/** True if the caller named a state of the file. */
function namesState(operation: Operation): boolean {
  return 'expectedHash' in operation && operation.expectedHash !== undefined
}

/** True if links in other files are rewritten, not only reported. */
function relinks(operation: Operation): boolean {
  return operation.kind === 'update' ? operation.title !== undefined : RELINKING.has(operation.kind)
}

/** Changes that other processes may have made while a worker was started again, and many more. */
const LATELY = 1_000

/** Dry runs that can still be executed, and that were: the newest of each. */
const PLANS_KEPT = 50

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= PLANS_KEPT) break
    kept.delete(oldest)
  }
}

/** Plans and applies what is asked, one after the other, and brings the index up to date before it answers. */
export class WriteService {
  readonly #parts: WriteParts
  readonly #plans = new Map<string, KeptPlan>()
  /** The changes that plans became when they were carried out. */
  readonly #done = new Map<string, string>()
  /** Files that recovery left as they were, by the change. */
  readonly #kept = new Map<string, readonly KeptFile[]>()

  constructor(parts: WriteParts) {
    this.#parts = parts
  }

  /** Ends what a dead process left half applied, in this vault. */
  async recover(): Promise<void> {
    await this.#parts.service.exclusively((access) => this.#recover(access))
  }

  async #recover(access: Exclusive): Promise<void> {
    const recovered = await this.#parts.changes.recover()
    for (const { id, kept } of recovered) if (kept.length > 0) this.#kept.set(id, kept)
    if (recovered.length > 0) await access.reconcile({ all: true })
  }

  /** Does for `Writing.run` what it promises. */
  async run(request: WriteRequest, progress: ChangeProgress = {}): Promise<WriteResult> {
    const plan = this.#asked(request)
    return await this.#parts.service.exclusively(async (access) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(access, request, { ...plan, ...progress })
        } catch (error) {
          // Someone wrote between planning and applying: what names no state of its own is as right on the new one.
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

  /** Unreported edits are searched only where they matter, because a full comparison takes longer than a write. */
  async #plan(access: Exclusive, operations: readonly Operation[]): Promise<PlannedWrite> {
    const plan = async () => {
      const view = await this.#parts.openView(access)
      return await planOperations(view, operations, () => this.#parts.changes.deletions())
    }
    // Links that must follow may stand in any file.
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

  /** The outcome of a recent change after recovery; `undefined` if the record does not have it. */
  async fateOf(changeId: string): Promise<ChangeFate | undefined> {
    return await this.#parts.service.exclusively(async (access) => {
      await this.#recover(access)
      const change = this.#parts.changes.list(LATELY).find(({ id }) => id === changeId)
      return change === undefined ? undefined : { state: change.state, kept: this.#kept.get(changeId) ?? [] }
    })
  }

  /** For when nothing is to do. */
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

  /** The files are changed already: an index that cannot be brought up to date is no failed write. */
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

/** The paths to compare again: every path, the content of moved folders, and new folders. */
function scopeOf({ id, paths, folders, files }: AppliedChange): Scope {
  const moves = files.flatMap(({ kind, path, to }) => (kind === 'move' && to !== undefined ? [{ from: path, to }] : []))
  return { all: false, folders: folders.map((path) => ({ path, recursive: true })), files: paths, moves, change: id }
}

/** Tells whether planning again comes to the same: the same files, from the same bytes, to the same bytes. */
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

/** The outcome for a file of an undone change; folders have none. */
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
