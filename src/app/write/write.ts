import { invalid, RouxError } from '../../core/errors.ts'
import { foldId } from '../../core/ids.ts'
import type { Operation, OperationOf, WriteResult } from '../../core/operations.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import { type Call, plain } from '../answer/answer-when-ready.ts'
import { MAX_LINKS, type NodeResponse } from '../answer/node-response.ts'
import { CONTENT_LIMITS } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { filesByPath } from '../names/known-node.ts'
import type { NodeDetails } from '../read/get-node.ts'
import { noteWarnings } from '../read/problems.ts'
import { type NoteWithText, readNode } from '../read/texts.ts'
import { trimFolder } from '../scope.ts'
import { filled, textAround, type WriteFacts, writeFacts } from './facts.ts'
import { checkOperation, inVault } from './operation-arguments.ts'
import {
  changeTitle,
  type OperationRequest,
  openWriting,
  operationUseCase,
  readBack,
  readIds,
  runOperations,
  withNotes,
} from './operation-runner.ts'

export type WrittenNode = Partial<ChangedNode> & WriteFacts

export const writeNode = operationUseCase<OperationOf<'create' | 'update' | 'restore' | 'manageTags' | 'clone'>, WrittenNode>(
  async ({ core, request, result, call }) => {
    const [path] = result.subjects
    const facts = writeFacts(result, call, { diff: true, own: path })
    const { value, warnings } = request.dryRun ? plain(undefined) : await nodeAt(core, { path, text: result.text }, call)
    if (value !== undefined) {
      const { id, path: at, title, hash, ...rest } = value
      return { value: { id, path: at, title, ...(hash === undefined ? {} : { hash }), ...facts, ...rest }, warnings }
    }
    const place = path === undefined ? {} : { id: (await readIds(core, [path], result.files))(path), path }
    return { value: { ...place, ...facts }, warnings }
  },
)

export interface MovedNode extends WriteFacts {
  readonly old_id: string
  /** The new id. For a folder, it is the path, prefixed with the vault's name. */
  readonly new_id: string
}

export const moveNode = operationUseCase<OperationOf<'move'>, MovedNode>(async ({ core, request, result, call }) => {
  const { from, to } = endsOf(result, request.operation)
  const idOf = await readIds(core, [from, to], result.files)
  return plain({ old_id: idOf(from), new_id: idOf(to), ...writeFacts(result, call, { diff: request.dryRun }) })
})

interface MoveEnds {
  readonly from: string
  readonly to: string
}

/** Derives the paths of a folder from a file in it, because results do not list folders. */
function endsOf({ files, subjects }: WriteResult, { id, to }: { readonly id: string; readonly to: string }): MoveEnds {
  const [subject] = subjects
  const moves = files.flatMap(({ kind, from, to }): readonly MoveEnds[] =>
    kind === 'moved' && from !== undefined && to !== undefined ? [{ from, to }] : [],
  )
  const self = moves.find((file) => file.to === subject)
  if (self !== undefined) return self
  const folder = trimFolder(id)
  const inside = moves.find(({ from }) => foldId(from).startsWith(`${foldId(folder)}/`))
  if (inside === undefined) return { from: folder, to: subject ?? trimFolder(to) }
  const rest = inside.from.slice(folder.length)
  return { from: inside.from.slice(0, folder.length), to: subject ?? inside.to.slice(0, inside.to.length - rest.length) }
}

export interface DeletedFile extends WriteFacts {
  readonly deleted: boolean
}

export const deleteFile = operationUseCase<OperationOf<'delete' | 'deleteAttachment'>, DeletedFile>(
  ({ request: { dryRun }, result, call }) => plain({ deleted: !dryRun, ...writeFacts(result, call, { diff: dryRun }) }),
)

export const rename = operationUseCase<OperationOf<'renameHeading' | 'renameTag'>, WriteFacts>(({ request, result, call }) =>
  plain(writeFacts(result, call, { diff: request.dryRun })),
)

export interface CreatedFolder {
  readonly path: string
  /** The change's id. It is omitted if the folder already existed. */
  readonly change_id?: string
  readonly plan_id?: string
}

export const createFolder = operationUseCase<OperationOf<'createFolder'>, CreatedFolder>(
  ({ request, result: { changeId, planId, subjects } }) =>
    plain({
      path: subjects[0] ?? trimFolder(request.operation.path),
      ...(changeId === undefined ? {} : { change_id: changeId }),
      ...(planId === undefined ? {} : { plan_id: planId }),
    }),
)

export interface ApplyArguments {
  readonly operations: readonly Pick<OperationRequest, 'tool' | 'operation'>[]
  readonly dryRun: boolean
  /** The id of a dry run's plan, as an alternative to `operations`. */
  readonly planId?: string | undefined
}

export interface AppliedChanges extends WriteFacts {
  /** One id per operation, or `null` for deleted files and for folders. The list is omitted if all are `null`. */
  readonly ids?: readonly (string | null)[]
}

const MAX_IDS = 20

/**
 * Makes a single change from operations or a plan. After a failure, nothing is written.
 * @throws RouxError of the first failing operation, with its number; `CONFLICT` if the plan is outdated
 */
export async function applyChanges(core: GraphCore, args: ApplyArguments, call: Call = {}): Promise<Answer<AppliedChanges>> {
  const { operations, dryRun, planId } = args
  requireOperationsOrPlan(args)
  for (const [at, { operation }] of operations.entries()) checkNumbered(operation, at)
  const title = planId === undefined ? changeTitle(operations) : 'apply_changes'
  const request = { title, operations: operations.map(({ operation }) => operation), dryRun }
  const result = await runOperations(core, planId === undefined ? request : { ...request, planId }, call)
  const idOf = await readIds(core, result.subjects, result.files)
  const ids = result.subjects.map((path) => (path === undefined ? null : idOf(path)))
  const shownIds = call.isUntruncated === true ? ids : ids.slice(0, MAX_IDS)
  const { omitted, ...facts } = writeFacts(result, call, { diff: true })
  const omittedCounts = filled({ ids: ids.length - shownIds.length, ...omitted })
  const value = {
    ...(shownIds.some((id) => id !== null) ? { ids: shownIds } : {}),
    ...facts,
    ...(omittedCounts === undefined ? {} : { omitted: omittedCounts }),
  }
  return withNotes(value, result)
}

function requireOperationsOrPlan({ operations, dryRun, planId }: ApplyArguments): void {
  if (planId === undefined && operations.length === 0)
    throw invalid('There is nothing to do.', 'Pass operations, or the plan_id from a dry run.')
  if (planId === undefined) return
  if (operations.length > 0)
    throw invalid('Pass either operations or plan_id, not both: a plan has its own operations.', 'Leave out one of them.')
  if (dryRun) {
    throw invalid(
      'plan_id is the result of a dry run, so it cannot be combined with dry_run.',
      'Leave out dry_run to apply the plan. To see it again, pass the operations with dry_run and without plan_id.',
    )
  }
  if (planId.trim() === '') throw invalid('plan_id is empty.', 'Pass the plan_id from a dry run, or operations.')
}

function checkNumbered(operation: Operation, at: number): void {
  try {
    checkOperation(operation)
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    const { code, message, hint } = error
    throw new RouxError(code, `Operation ${at + 1}: ${message}`, { hint, cause: error })
  }
}

export interface UndoneChange extends WriteFacts {
  readonly undone: string
  readonly node?: ChangedNode
}

/** Writes nothing on failure. @throws RouxError `CONFLICT` with the diff if a file has been edited since */
export async function undoChange(core: GraphCore, changeId: string, call: Call = {}): Promise<Answer<UndoneChange>> {
  const id = changeId.trim()
  if (id === '') throw invalid('change_id is empty.', 'list_changes lists the ids.')
  const writing = await openWriting(core, call)
  const result = await writing.undo(id).catch((error: unknown) => {
    throw inVault(error, core)
  })
  const path = result.files.length === 1 ? result.files[0]?.to : undefined
  const node = await nodeAt(core, { path, text: undefined }, call)
  const value = { undone: id, ...writeFacts(result, call), ...(node.value === undefined ? {} : { node: node.value }) }
  return withNotes(value, result, node.warnings)
}

export interface ChangedNode extends NodeResponse, Partial<Pick<NodeDetails, 'properties' | 'created' | 'modified' | 'outline'>> {
  readonly path: string
  /** SHA-256, with the prefix `partial:` if the caller has not seen all text. */
  readonly hash?: string
  /** Number of all links. `links` contains only the first ones. */
  readonly link_count: number
}

interface WrittenAt extends Pick<WriteResult, 'text'> {
  readonly path: string | undefined
}

function nodeAt(core: GraphCore, { path, text }: WrittenAt, call: Call): Promise<Answer<ChangedNode | undefined>> {
  // The index is up to date, because writing has already updated it.
  return readBack(path, (at) =>
    core.store.read(async (snapshot) => {
      const id = (await filesByPath(snapshot, core, [at])).at(at)?.id
      const options = { links: call.isUntruncated === true ? MAX_LINKS : SHOWN_LINKS, times: call.isUntruncated === true }
      const read = id === undefined ? undefined : await readNode({ core, snapshot, call }, id, options)
      if (id === undefined || read === undefined) return plain(undefined)
      const warnings = (await noteWarnings(snapshot, id)).filter(({ code }) => code === 'MALFORMED')
      return { value: changedNode(read, { path: at, text }, call), warnings }
    }, call.signal),
  )
}

const SHOWN_LINKS = 3

function changedNode({ node, source }: NoteWithText, { path, text }: WrittenAt, { isUntruncated = false }: Call): ChangedNode {
  const body = source?.text.slice(source.bodyStart) ?? ''
  const changed = text?.hash === source?.hash ? text?.changed : undefined
  const content = isUntruncated ? body : textAround(body, CONTENT_LIMITS.list, changed ?? { start: 0, end: 0 })
  const { created, modified, properties, headings } = node
  return {
    id: node.id,
    path: path ?? '',
    title: node.title,
    ...(source === undefined ? {} : { hash: knows(source, { content, text }) ? source.hash : partialHash(source.hash) }),
    tags: node.tags,
    links: node.links,
    link_count: node.linkCount,
    content,
    ...(node.kind === 'note' ? {} : { kind: node.kind }),
    ...(isUntruncated ? { properties, outline: headings } : {}),
    ...(isUntruncated && created !== undefined ? { created } : {}),
    ...(isUntruncated && modified !== undefined ? { modified } : {}),
  }
}

function knows(source: NoteText, { content, text }: { readonly content: string } & Pick<WriteResult, 'text'>): boolean {
  const isShown = content.length === source.text.length - source.bodyStart
  return isShown || (text?.isKnown === true && text.hash === source.hash)
}
