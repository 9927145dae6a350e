import { RouxError } from '../core/errors.ts'
import { partialHash } from '../core/text/partial-reading.ts'
import { shortDiff } from './difference.ts'
import { quote } from './path-rules.ts'

/** A file that is not what it was expected to be. */
export interface Mismatch {
  readonly path: string
  /** SHA-256, hex. */
  readonly expected: string
  /** `undefined`: the file is gone. */
  readonly actual: string | undefined
  /** The diff between the expected and the current text, if both are known. */
  readonly difference?: string
}

export interface MismatchedBytes {
  readonly expected: Uint8Array | undefined
  readonly actual: Uint8Array | undefined
}

/** Describes how a file differs from what was expected. */
export function mismatch(file: Omit<Mismatch, 'difference'>, { expected, actual }: MismatchedBytes): Mismatch {
  if (expected === undefined || actual === undefined) return file
  return { ...file, difference: shortDiff(expected, actual, { path: file.path, from: 'expected', to: 'now' }) }
}

/** Files turned out to be other than expected while a change was carried out. */
export class FilesChanged extends Error {
  readonly files: readonly Mismatch[]
  /** The outcome for these files, as a sentence. */
  readonly outcome: string

  constructor(files: readonly Mismatch[], outcome: string) {
    super('files changed in the meantime')
    this.files = files
    this.outcome = outcome
  }
}

const MAX_CANDIDATES = 10

/** The error that refuses a change because files changed in the meantime. */
export function conflict(mismatches: readonly Mismatch[], outcome = 'Nothing was written.'): RouxError {
  const [first] = mismatches
  if (first === undefined) return new RouxError('CONFLICT', `Files changed in the meantime. ${outcome}`)
  // The caller has read neither what is there now nor, perhaps, what was planned for.
  const told = mismatches.slice(0, MAX_CANDIDATES).map((each) => {
    const expected = partialHash(each.expected)
    return each.actual === undefined ? { ...each, expected } : { ...each, expected, actual: partialHash(each.actual) }
  })
  const [one = first] = told
  const now = one.actual === undefined ? 'is gone' : `is now ${one.actual}`
  const more = mismatches.length > 1 ? ` So did ${mismatches.length - 1} more.` : ''
  return new RouxError(
    'CONFLICT',
    `${quote(first.path)} changed in the meantime: it was expected to be ${one.expected} and ${now}.${more} ${outcome}`,
    {
      hint: 'Read it again, then decide.',
      candidates: told,
    },
  )
}
