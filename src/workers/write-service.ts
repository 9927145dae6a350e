import { createHash, randomUUID } from 'node:crypto'
import { isTrash } from '../changes/plan/note-paths.ts'
import { type PlannedWrite, planOperations } from '../changes/plan/plan-operations.ts'
import type { Trashed } from '../changes/plan/trash.ts'
import type { VaultView } from '../changes/plan/vault-view.ts'
import type { ChangedFile, ChangeSummary, Changes } from '../core/changes.ts'
import { RouxError } from '../core/errors.ts'
import type { Operation, WriteRequest, WriteResult, Writing, WrittenFile } from '../core/operations.ts'
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
  /** Of the changes that it showed. */
  readonly fingerprint: string
}

/** Operations for which links in other files need not be known. */
const ON_ONE_FILE: ReadonlySet<Operation['kind']> = new Set(['manageTags', 'createFolder', 'addAttachment'])

/** How often a write is planned on what somebody else wrote meanwhile. */
const ATTEMPTS = 4

/** Whether a caller said which state of a file is meant. */
function namesState(operation: Operation): boolean {
  return 'expectedHash' in operation && operation.expectedHash !== undefined
}

/** A new note or other text in one changes no link of others. */
function needsLinks(operation: Operation): boolean {
  if (operation.kind === 'create') return false
  return operation.kind === 'update' ? operation.title !== undefined : !ON_ONE_FILE.has(operation.kind)
}

/** Dry runs that can still be executed: the newest. */
const PLANS_KEPT = 50
/** Changes among which one that was just made is looked for: other processes may make some at the same moment. */
const RECENT = 20
/** Changes that are asked where a file in the trash came from. */
const REMEMBERED = 10_000

/** Plans and applies what is asked, one after the other, and brings the index up to date before it answers. */
export class WriteService implements Writing {
  readonly #parts: WriteParts
  readonly #plans = new Map<string, KeptPlan>()

  constructor(parts: WriteParts) {
    this.#parts = parts
  }

  /** Ends what a dead process left half applied, in this vault. */
  async recover(): Promise<void> {
    await this.#parts.service.exclusively(async (access) => {
      const recovered = await this.#parts.changes.recover()
      if (recovered.length > 0) await access.reconcile({ all: true })
    })
  }

  async run(request: WriteRequest): Promise<WriteResult> {
    const plan = this.#asked(request)
    return await this.#parts.service.exclusively(async (access) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(access, request, plan)
        } catch (error) {
          // Somebody wrote between planning and applying: what names no state of its own is as right on the new one.
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
    { title, operations }: Pick<KeptPlan, 'title' | 'operations'>,
  ): Promise<WriteResult> {
    // Links that must follow may stand in files that nobody has told of yet.
    if (operations.some(needsLinks)) await access.reconcile({ all: true })
    const view = await this.#parts.openView(access)
    const { changes, ...planned } = await planOperations(view, operations, () => this.#deletions())
    const fingerprint = fingerprintOf({ changes, ...planned })
    if (request.planId !== undefined && this.#plans.get(request.planId)?.fingerprint !== fingerprint) throw stalePlan()
    if (request.dryRun) return { ...planned, planId: this.#keep({ title, operations, fingerprint }) }
    if (changes.length === 0) return planned
    const applied = await this.#parts.changes.apply(changes, { title })
    if (request.planId !== undefined) this.#plans.delete(request.planId)
    return await this.#indexed(access, scopeOf({ changes, ...planned }, applied.paths), { ...planned, changeId: applied.id })
  }

  async undo(changeId: string): Promise<WriteResult> {
    return await this.#parts.service.exclusively(async (access) => {
      const applied = await this.#parts.changes.undo(changeId)
      const own = this.#parts.changes.list(RECENT).find(({ id }) => id === applied.id)
      const result: WriteResult = {
        changeId: applied.id,
        files: (own?.files ?? []).flatMap(takenBack),
        subjects: [],
        dangling: [],
        diff: '',
        notes: [],
      }
      return await this.#indexed(access, { all: true }, result)
    })
  }

  async changes(limit: number): Promise<readonly ChangeSummary[]> {
    return this.#parts.changes.list(limit)
  }

  /** What was put into the trash by changes that were not taken back, newest first. */
  #deletions(): readonly Trashed[] {
    const done = this.#parts.changes.list(REMEMBERED).filter(({ state }) => state === 'done')
    return done.flatMap(({ files }) =>
      files.flatMap(({ kind, path, to = '' }) => (kind === 'move' && isTrash(to) ? [{ trash: to, path }] : [])),
    )
  }

  close(): void {
    this.#parts.changes.close()
  }

  #asked(request: WriteRequest): Pick<KeptPlan, 'title' | 'operations'> {
    if (request.planId === undefined) return request
    const plan = this.#plans.get(request.planId)
    if (plan !== undefined) return plan
    throw new RouxError('CONFLICT', `There is no plan ${JSON.stringify(request.planId)} any more.`, {
      hint: 'Make the dry run again: plans are kept for as long as the server runs, the newest 50.',
    })
  }

  #keep(plan: KeptPlan): string {
    const id = randomUUID()
    this.#plans.set(id, plan)
    for (const oldest of this.#plans.keys()) {
      if (this.#plans.size <= PLANS_KEPT) break
      this.#plans.delete(oldest)
    }
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

/** What to look at again: every path, what is in folders that moved, and folders that were made, which have to be found first. */
function scopeOf({ changes, files }: PlannedWrite, paths: readonly string[]): Scope {
  const moved = new Set(files.map(({ from }) => from))
  const known = new Set(changes.flatMap((change) => (change.kind === 'move' ? [change.from, change.to] : [change.path])))
  const folders = changes.flatMap((change) => (change.kind === 'move' && !moved.has(change.from) ? [change.from, change.to] : []))
  const made = paths.filter((path) => !known.has(path))
  return { all: false, folders: [...folders, ...made].map((path) => ({ path, recursive: true })), files: paths }
}

/** Tells whether planning anew comes to the same: the same files, from the same bytes, to the same bytes. */
function fingerprintOf({ changes, files }: PlannedWrite): string {
  const hash = createHash('sha256')
  for (const change of changes) {
    const { bytes, ...rest } = { bytes: new Uint8Array(0), ...change }
    hash.update(JSON.stringify(rest)).update('\0').update(bytes).update('\0')
  }
  // What a folder takes with it.
  for (const { from, to } of files) hash.update(JSON.stringify([from, to]))
  return hash.digest('hex')
}

/** What became of a file when a change was taken back; folders are none. */
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
  return new RouxError('CONFLICT', 'Files that the plan touches were changed since its dry run: nothing was written.', {
    hint: 'Make the dry run again and look at it.',
  })
}
