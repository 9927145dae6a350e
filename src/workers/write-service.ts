import { createHash, randomUUID } from 'node:crypto'
import type { Changes } from '../changes/open-changes.ts'
import { isTrash } from '../changes/plan/note-paths.ts'
import { type PlannedWrite, planOperations } from '../changes/plan/plan-operations.ts'
import type { VaultView } from '../changes/plan/vault-view.ts'
import type { AppliedChange, ChangedFile, ChangeOutcome, ChangeProgress, ChangeSummary, KeptFile } from '../core/changes.ts'
import { messageOf, RouxError } from '../core/errors.ts'
import type { Operation, WriteRequest, WriteResult, WrittenFile } from '../core/operations.ts'
import type { Scope } from '../indexing/indexer.ts'
import type { Exclusive, IndexingService } from '../indexing/service.ts'

export interface WriteParts {
  readonly service: Pick<IndexingService, 'exclusively'>
  readonly changes: Changes
  readonly openView: (access: Exclusive) => Promise<VaultView>
}

interface KeptPlan {
  readonly title: string
  readonly operations: readonly Operation[]
  readonly fingerprint: string
}

const RELINKING: ReadonlySet<Operation['kind']> = new Set(['move', 'renameHeading', 'renameTag', 'clone'])

const MAX_ATTEMPTS = 4

/** Returns true if the caller passed the expected hash of a file. */
function namesState(operation: Operation): boolean {
  return 'expectedHash' in operation && operation.expectedHash !== undefined
}

function relinks(operation: Operation): boolean {
  return operation.kind === 'update' ? operation.title !== undefined : RELINKING.has(operation.kind)
}

/** The number of recent changes to search. Other processes cannot add more during a restart. */
const RECENT_CHANGES = 1_000

const MAX_PLANS = 50

function forgetOldest(entries: Map<string, unknown>): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_PLANS) break
    entries.delete(oldest)
  }
}

/** A service that applies one write at a time, and updates the index before it returns. */
export class WriteService {
  readonly #parts: WriteParts
  readonly #plans = new Map<string, KeptPlan>()
  readonly #appliedPlans = new Map<string, string>()
  readonly #keptFiles = new Map<string, readonly KeptFile[]>()

  constructor(parts: WriteParts) {
    this.#parts = parts
  }

  async recover(): Promise<void> {
    await this.#parts.service.exclusively((access) => this.#recover(access))
  }

  async #recover(access: Exclusive): Promise<void> {
    const recovered = await this.#parts.changes.recover()
    for (const { id, kept } of recovered) if (kept.length > 0) this.#keptFiles.set(id, kept)
    if (recovered.length > 0) await access.reconcile({ all: true })
  }

  /** Runs a write; see `Writing.run`. */
  async run(request: WriteRequest, progress: ChangeProgress = {}): Promise<WriteResult> {
    const plan = this.#operationsOf(request)
    return await this.#parts.service.exclusively(async (access) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(access, request, { ...plan, ...progress })
        } catch (error) {
          // If a file has changed since planning, the write is planned again, unless the caller passed an expected hash.
          const mayAgain = request.planId === undefined && !plan.operations.some(namesState) && attempt < MAX_ATTEMPTS
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
    if (request.planId !== undefined) this.#markApplied(request.planId, applied.id)
    const notes = [...planned.notes, ...applied.notes]
    return await this.#reconcileAfter(access, scopeOf(applied), { ...planned, changeId: applied.id, notes })
  }

  /** Plans a write. All files are compared only for link rewrites and missing notes, because that takes longer than a write. */
  async #plan(access: Exclusive, operations: readonly Operation[]): Promise<PlannedWrite> {
    const plan = async () => {
      const view = await this.#parts.openView(access)
      return await planOperations(view, operations, () => this.#parts.changes.deletions())
    }
    // An operation that rewrites links needs all files, because any of them may contain one.
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
        files: applied.files.flatMap(undoneFile),
        subjects: [],
        dangling: [],
        diff: '',
        notes: applied.notes,
      }
      return await this.#reconcileAfter(access, scopeOf(applied), result)
    })
  }

  async changes(limit: number): Promise<readonly ChangeSummary[]> {
    return this.#parts.changes.list(limit)
  }

  /** Looks up the outcome of a write after recovery. @returns `undefined` if the journal does not contain the change */
  async outcomeOf(changeId: string): Promise<ChangeOutcome | undefined> {
    return await this.#parts.service.exclusively(async (access) => {
      await this.#recover(access)
      const change = this.#parts.changes.list(RECENT_CHANGES).find(({ id }) => id === changeId)
      return change === undefined ? undefined : { state: change.state, kept: this.#keptFiles.get(changeId) ?? [] }
    })
  }

  /** Cleans up the journal. Call this method when the process is idle. */
  tidy(): void {
    this.#parts.changes.tidy()
  }

  close(): void {
    this.#parts.changes.close()
  }

  #operationsOf(request: WriteRequest): Pick<KeptPlan, 'title' | 'operations'> {
    if (request.planId === undefined) return request
    const plan = this.#plans.get(request.planId)
    if (plan !== undefined) return plan
    const change = this.#appliedPlans.get(request.planId)
    if (change !== undefined) {
      throw new RouxError(
        'CONFLICT',
        `The plan ${JSON.stringify(request.planId)} has already been carried out as change ${change}.`,
        {
          hint: 'list_changes shows it, and undo reverts it. To do the same again, repeat the dry run.',
        },
      )
    }
    throw new RouxError('CONFLICT', `The plan ${JSON.stringify(request.planId)} no longer exists.`, {
      hint: 'Repeat the dry run. Only the newest 50 plans are kept, and only until the indexing worker ends.',
    })
  }

  #markApplied(planId: string, changeId: string): void {
    this.#plans.delete(planId)
    this.#appliedPlans.set(planId, changeId)
    forgetOldest(this.#appliedPlans)
  }

  #keep(plan: KeptPlan): string {
    const id = randomUUID()
    this.#plans.set(id, plan)
    forgetOldest(this.#plans)
    return id
  }

  /** A failure must not look like a failed write, because the files are already changed. */
  async #reconcileAfter(access: Exclusive, scope: Scope, result: WriteResult): Promise<WriteResult> {
    try {
      await access.reconcile(scope)
      return result
    } catch (error) {
      const reason = messageOf(error)
      return { ...result, notes: [...result.notes, `The change was written, but the index could not be updated (${reason}).`] }
    }
  }
}

function scopeOf({ id, paths, folders, files }: AppliedChange): Scope {
  const moves = files.flatMap(({ kind, path, to }) => (kind === 'move' && to !== undefined ? [{ from: path, to }] : []))
  return { all: false, folders: folders.map((path) => ({ path, recursive: true })), files: paths, moves, change: id }
}

/** Returns a fingerprint. Equal ones mean the same changes to the same bytes. */
function fingerprintOf({ changes, files }: PlannedWrite): string {
  const hash = createHash('sha256')
  for (const change of changes) {
    const { bytes, ...rest } = { bytes: new Uint8Array(0), ...change }
    hash.update(JSON.stringify(rest)).update('\0').update(bytes).update('\0')
  }
  // A moved folder counts as a single change.
  for (const { from, to } of files) hash.update(JSON.stringify([from, to]))
  return hash.digest('hex')
}

/** Returns the file that an undo restored, or nothing for folders. */
function undoneFile({ kind, path, to }: ChangedFile): WrittenFile | readonly [] {
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
  return new RouxError('CONFLICT', 'Files in the plan have changed since the dry run. Nothing was written.', {
    hint: 'Repeat the dry run and check it.',
  })
}
