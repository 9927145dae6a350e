import { messageOf, RouxError } from '../../core/errors.ts'
import { foldId, type NodeId, toNodeId } from '../../core/ids.ts'
import type { Operation, WriteRequest, WriteResult, Writing } from '../../core/operations.ts'
import { answerInSteps, type Call, plain } from '../answer/answer-when-ready.ts'
import { boundaryBefore, quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { filesByPath } from '../names/known-node.ts'
import { checkOperation, nameNotes, withNearest } from './operation-arguments.ts'

export interface OperationRequest<Requested extends Operation = Operation> {
  readonly tool: string
  readonly operation: Requested
  readonly dryRun: boolean
}

export interface OperationRun<Requested extends Operation> {
  readonly core: GraphCore
  readonly request: OperationRequest<Requested>
  readonly result: WriteResult
  readonly call: Call
}

export type OperationUseCase<Requested extends Operation, Value> = (
  core: GraphCore,
  request: OperationRequest<Requested>,
  call?: Call,
) => Promise<Answer<Value>>

export function operationUseCase<Requested extends Operation, Value>(
  shape: (run: OperationRun<Requested>) => Promise<Answer<Value>> | Answer<Value>,
): OperationUseCase<Requested, Value> {
  return async (core, request, call = {}) => {
    const { operation, dryRun } = request
    checkOperation(operation)
    const result = await runOperations(core, { title: changeTitle([request]), operations: [operation], dryRun }, call)
    const { value, warnings } = await shape({ core, request, result, call })
    return withNotes(value, result, warnings)
  }
}

/**
 * Runs operations exactly once, without retries. Notes can be given by id, unique title or unique alias.
 * @throws RouxError `TOOL_DISABLED` if writing is off; `AMBIGUOUS_NAME`; `NODE_NOT_FOUND` with the nearest ids; any error of the
 * operations
 */
export async function runOperations(core: GraphCore, request: WriteRequest, call: Call): Promise<WriteResult> {
  const writing = await openWriting(core, call)
  const named = await nameNotes(core, request.operations, call)
  try {
    const result = await writing.run({ ...request, operations: named.operations }, call.signal)
    return named.notes.length === 0 ? result : { ...result, notes: [...named.notes, ...result.notes] }
  } catch (error) {
    throw await withNearest(core, error, named)
  }
}

/** Returns the write interface after the initial scan. @throws RouxError `TOOL_DISABLED`, `VAULT_NOT_FOUND` */
export async function openWriting(core: GraphCore, call: Call): Promise<Writing> {
  const { writing } = core
  if (writing === undefined) {
    throw new RouxError('TOOL_DISABLED', 'Writing is switched off for this vault.', {
      hint: 'Set tools.write to true, or start with --write.',
    })
  }
  await answerInSteps(core, call, async () => plain(undefined))
  return writing
}

export function withNotes<T>(value: T, { notes }: WriteResult, warnings: readonly Warning[] = []): Answer<T> {
  return { value, warnings: [...notes.map((message): Warning => ({ code: 'NOTICE', message })), ...warnings] }
}

/** Looks up the ids of written files. If the lookup fails, folded paths are returned, because the write has already succeeded. */
export async function readIds(
  core: GraphCore,
  paths: readonly (string | undefined)[],
  moves: WriteResult['files'],
): Promise<(path: string) => NodeId> {
  // A new case or accent encoding changes the path but not the id. The index knows only one of the two paths.
  const spellings = new Map(
    moves.flatMap(({ from, to }) => {
      if (from === undefined || to === undefined || from === to || foldId(from) !== foldId(to)) return []
      return [
        [from, to],
        [to, from],
      ] as const
    }),
  )
  const existing = [...paths, ...spellings.keys()].filter((path) => path !== undefined)
  const files = await core.store.read((snapshot) => filesByPath(snapshot, core, existing)).catch(() => undefined)
  return (path) => {
    const file = files?.at(path) ?? files?.at(spellings.get(path) ?? path)
    return file?.id ?? files?.idOf(path) ?? toNodeId(foldId(path), core.name)
  }
}

/** Returns a failure as a warning, because the caller would repeat the write after an error. */
export async function readBack<T>(
  path: string | undefined,
  read: (path: string) => Promise<Answer<T>>,
): Promise<Answer<T | undefined>> {
  if (path === undefined) return plain(undefined)
  try {
    return await read(path)
  } catch (error) {
    const reason = messageOf(error)
    const message = `The change was made, but ${quoted(path)} could not be read again: ${reason}`
    return { value: undefined, warnings: [{ code: 'NOTICE', message }] }
  }
}

const TITLE_LENGTH = 200

/** Returns a title such as `move_node a.md → b.md`. */
export function changeTitle(operations: readonly Pick<OperationRequest, 'tool' | 'operation'>[]): string {
  const titles = operations.map(({ tool, operation }) => `${tool} ${subjectOf(operation)}`)
  const names = titles
    .join(', ')
    .replace(/[\r\n]+/g, ' ')
    .trimEnd()
  const title = titles.length === 1 ? names : `apply_changes: ${titles.length} operations: ${names}`
  return title.length > TITLE_LENGTH ? `${title.slice(0, boundaryBefore(title, 0, TITLE_LENGTH - 1))}…` : title
}

function subjectOf(operation: Operation): string {
  switch (operation.kind) {
    case 'renameTag':
      return `#${operation.tag.replace(/^#/, '')} → #${operation.to.replace(/^#/, '')}`
    case 'createFolder':
      return operation.path
    case 'renameHeading':
      return `${operation.id}: ${operation.heading.join(' > ')} → ${operation.to}`
    case 'move':
      return `${operation.id} → ${operation.to}`
    case 'clone':
      return `${operation.id} → ${operation.folder}/`
    case 'addAttachment':
      return `${operation.filename} for ${operation.id}`
    default:
      return operation.id
  }
}
