import { RouxError } from '../../core/errors.ts'
import { foldId, withoutVault } from '../../core/ids.ts'
import type { Operation } from '../../core/operations.ts'
import { fileStemOf } from '../../core/paths.ts'
import type { Snapshot } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore } from '../graph-core.ts'
import { ambiguousName, lookUpKinds, nodesNamed, unknownNodeError } from '../names/known-node.ts'
import { isFolder } from '../scope.ts'

/** Operations whose notes are given by their paths. */
export interface NamedOperations {
  readonly operations: readonly Operation[]
  /** Sentences: which names were taken for which notes. */
  readonly notes: readonly string[]
  /** Arguments that are neither an id nor a name of a note: earlier operations may make them. */
  readonly unknown: readonly string[]
}

/**
 * Finds the notes that operations name by a title, alias or file name; ids stay as they are.
 * @throws RouxError `AMBIGUOUS_NAME` where several notes have a name
 */
export async function nameNotes(core: GraphCore, operations: readonly Operation[], call: Call): Promise<NamedOperations> {
  try {
    const { value } = await answer(core, call, async (snapshot) => plain(await namedIn(snapshot, core, operations)))
    return value
  } catch (error) {
    // Writing works on an index of its own: it can go on while this one is built again.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') return { operations, notes: [], unknown: [] }
    throw error
  }
}

async function namedIn(snapshot: Snapshot, core: GraphCore, operations: readonly Operation[]): Promise<NamedOperations> {
  const given = operations.map((operation, at) => (comesBefore(operations.slice(0, at), operation) ? '' : noteOf(operation)))
  const known = await lookUpKinds(snapshot, core, given)
  const others: string[] = []
  for (const [at, written] of given.entries()) {
    if (written === '' || (known[at] !== undefined && known[at]?.kind !== 'missing')) continue
    if (takesFolder(operations[at]) && (await isFolder(snapshot, withoutVault(written, core.name)))) continue
    others.push(written)
  }
  if (others.length === 0) return { operations, notes: [], unknown: [] }
  const names = [...new Set(others)]
  const hits = await nodesNamed(snapshot, names)
  const ids = new Map<string, string>()
  for (const [at, name] of names.entries()) {
    const [only, ...more] = hits[at] ?? []
    if (only === undefined) continue
    if (more.length > 0) throw ambiguousName(name, hits[at] ?? [])
    ids.set(name, only.id)
  }
  return {
    operations: operations.map((operation, at) => {
      const id = others.includes(given[at] ?? '') ? ids.get(given[at] ?? '') : undefined
      return id === undefined || !('id' in operation) ? operation : { ...operation, id: withoutVault(id, core.name) }
    }),
    notes: [...ids].map(([name, id]) => `${quoted(name)} is the note ${quoted(id)}.`),
    unknown: names.filter((name) => !ids.has(name)),
  }
}

/** The note that an operation works on, as its caller wrote it; empty where it works on none that must be there. */
function noteOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
    case 'restore':
    case 'renameTag':
    case 'createFolder':
      return ''
    default:
      // With `/` at its end it is a folder.
      return operation.id.endsWith('/') ? '' : operation.id.trim()
  }
}

function takesFolder(operation: Operation | undefined): boolean {
  return operation?.kind === 'move' || operation?.kind === 'addAttachment'
}

/** Whether an argument may be a file that an operation before makes or renames; the index does not know it yet. */
function comesBefore(earlier: readonly Operation[], operation: Operation): boolean {
  const stem = stemOf(noteOf(operation))
  return earlier.some((one) => newNamesOf(one).some((name) => stemOf(name) === stem))
}

function newNamesOf(operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'create':
    case 'restore':
      return [operation.id]
    case 'move':
      return [operation.to, operation.id]
    case 'update':
      return operation.title === undefined ? [] : [operation.title, operation.id]
    case 'clone':
      return [operation.id]
    case 'addAttachment':
      return [operation.filename]
    default:
      return []
  }
}

function stemOf(path: string): string {
  return fileStemOf(foldId(path.trim()).replace(/\/$/, ''))
}

/** The error of an operation on a note that is not there, with the nearest ids. */
export async function withNearest(core: GraphCore, error: unknown, { unknown }: NamedOperations): Promise<unknown> {
  if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || error.candidates !== undefined) return error
  const name = unknown.find((one) => error.message.includes(JSON.stringify(one)))
  if (name === undefined) return error
  const { hint, candidates } = await core.store.read((snapshot) => unknownNodeError(snapshot, name))
  return new RouxError(error.code, error.message, {
    ...(hint === undefined ? {} : { hint }),
    ...(candidates === undefined ? {} : { candidates }),
    cause: error,
  })
}
