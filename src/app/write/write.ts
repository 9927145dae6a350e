import { RouxError } from '../../core/errors.ts'
import { foldId, type NodeId, toNodeId } from '../../core/ids.ts'
import type { WriteRequest, WriteResult, Writing } from '../../core/operations.ts'
import { answerInSteps, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { filesByPath } from '../names/known-node.ts'
import { nameNotes, withNearest } from './named-notes.ts'
import { type SingleWrite, titleOf } from './single-write.ts'

/**
 * Has one operation carried out or planned.
 * @throws RouxError `TOOL_DISABLED` where nothing may be written; what the operation throws.
 */
export function writeOne(core: GraphCore, { tool, operation, dryRun }: SingleWrite, call: Call): Promise<WriteResult> {
  return write(core, { title: titleOf([{ tool, operation }]), operations: [operation], dryRun }, call)
}

/**
 * Has operations carried out or planned, once: unlike reading, writing is never tried again. Notes may be given by an id, or by a title or
 * alias that exactly one note has.
 * @throws as `writeOne`; `AMBIGUOUS_NAME`, and `NODE_NOT_FOUND` with the nearest ids
 */
export async function write(core: GraphCore, request: WriteRequest, call: Call): Promise<WriteResult> {
  const writing = await openWriting(core, call)
  const named = await nameNotes(core, request.operations, call)
  try {
    const result = await writing.run({ ...request, operations: named.operations }, call.signal)
    return named.notes.length === 0 ? result : { ...result, notes: [...named.notes, ...result.notes] }
  } catch (error) {
    throw await withNearest(core, error, named)
  }
}

/** The vault's writing side, when the vault is there and known. @throws RouxError `TOOL_DISABLED`, `VAULT_NOT_FOUND` */
export async function openWriting(core: GraphCore, call: Call): Promise<Writing> {
  const { writing } = core
  if (writing === undefined) {
    throw new RouxError('TOOL_DISABLED', 'Nothing may be written into this vault.', {
      hint: 'The setting tools.write: true, or --write, allows it.',
    })
  }
  await answerInSteps(core, call, async () => plain(undefined))
  return writing
}

/** Adds the notices of a write to an answer. */
export function written<T>(value: T, { notes }: WriteResult, warnings: readonly Warning[] = []): Answer<T> {
  return { value, warnings: [...notes.map((message): Warning => ({ code: 'NOTICE', message })), ...warnings] }
}

/**
 * The ids of files by their paths. The ids are the folded paths where the index cannot tell: the change is made, so that no error may say
 * otherwise.
 */
export async function readIds(core: GraphCore, paths: readonly (string | undefined)[]): Promise<(path: string) => NodeId> {
  const known = paths.filter((path) => path !== undefined)
  const files = await core.store.read((snapshot) => filesByPath(snapshot, core, known)).catch(() => undefined)
  return (path) => files?.idOf(path) ?? toNodeId(foldId(path), core.name)
}

/** Reads the written note. Must not fail: a caller that gets an error writes again. */
export async function readBack<T>(
  path: string | undefined,
  read: (path: string) => Promise<Answer<T>>,
): Promise<Answer<T | undefined>> {
  if (path === undefined) return plain(undefined)
  try {
    return await read(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The change was made, but ${quoted(path)} could not be read again: ${reason}`
    return { value: undefined, warnings: [{ code: 'NOTICE', message }] }
  }
}
