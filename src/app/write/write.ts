import { RouxError } from '../../core/errors.ts'
import type { WriteRequest, WriteResult, Writing } from '../../core/operations.ts'
import { answerInSteps, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { type SingleWrite, titleOf } from './single-write.ts'

/**
 * Has one operation carried out or planned.
 * @throws RouxError `TOOL_DISABLED` where nothing may be written; what the operation throws.
 */
export function writeOne(core: GraphCore, { tool, operation, dryRun }: SingleWrite, call: Call): Promise<WriteResult> {
  return write(core, { title: titleOf([{ tool, operation }]), operations: [operation], dryRun }, call)
}

/** Has operations carried out or planned, once: unlike reading, writing is never tried again. @throws as `writeOne` */
export async function write(core: GraphCore, request: WriteRequest, call: Call): Promise<WriteResult> {
  const writing = await openWriting(core, call)
  return await writing.run(request, call.signal)
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

/** An answer with what a caller should know of what was written. */
export function written<T>(value: T, { notes }: WriteResult, warnings: readonly Warning[] = []): Answer<T> {
  return { value, warnings: [...notes.map((message): Warning => ({ code: 'NOTICE', message })), ...warnings] }
}

/** Reads what was written. That cannot make the call fail: who is told of an error writes again. */
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
