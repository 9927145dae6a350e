import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { partialHash } from '../core/text/partial-reading.ts'
import { quote } from './path-rules.ts'

// The time of a diff is quadratic in the number of differing lines. Small files have no timeout, because their diff must not
// depend on the machine's load.
const LIMITS = { small: { maxEditLength: 2000 }, large: { timeout: 250, maxEditLength: 5000 } }

const MAX_SMALL = 16_000

const MAX_INPUT = 4_000_000

const CONTEXT = 2

const MAX_SHORT = 2000

export interface Mismatch {
  readonly path: string
  /** The expected hash. Like `actual`, it is a SHA-256 in hex. */
  readonly expected: string
  /** The hash on disk, or `undefined` if the file no longer exists. */
  readonly actual: string | undefined
  /** The diff to the current text. It is omitted if either text is unknown. */
  readonly difference?: string
}

export interface MismatchedBytes {
  readonly expected: Uint8Array | undefined
  readonly actual: Uint8Array | undefined
}

export function mismatch(file: Omit<Mismatch, 'difference'>, { expected, actual }: MismatchedBytes): Mismatch {
  if (expected === undefined || actual === undefined) return file
  return { ...file, difference: shortDiff(file.path, expected, actual) }
}

/** An error for files that change while a change is being applied. */
export class FilesChanged extends Error {
  readonly files: readonly Mismatch[]
  /** A sentence on the state of the files. */
  readonly outcome: string

  constructor(files: readonly Mismatch[], outcome: string) {
    super('files changed in the meantime')
    this.files = files
    this.outcome = outcome
  }
}

const MAX_CANDIDATES = 10

export function conflict(mismatches: readonly Mismatch[], outcome = 'Nothing was written.'): RouxError {
  const [first] = mismatches
  if (first === undefined) return new RouxError('CONFLICT', `Files changed in the meantime. ${outcome}`)
  // The hashes are partial, because the caller may not have read these versions.
  const candidates = mismatches.slice(0, MAX_CANDIDATES).map((each) => {
    const expected = partialHash(each.expected)
    return each.actual === undefined ? { ...each, expected } : { ...each, expected, actual: partialHash(each.actual) }
  })
  const [firstCandidate = first] = candidates
  const now = firstCandidate.actual === undefined ? 'is gone' : `is now ${firstCandidate.actual}`
  const more = mismatches.length > 1 ? ` ${mismatches.length - 1} more changed too.` : ''
  return new RouxError(
    'CONFLICT',
    `${quote(first.path)} changed in the meantime: it was expected to be ${firstCandidate.expected} and ${now}.${more} ${outcome}`,
    {
      hint: 'Read it again, then decide how to proceed.',
      candidates,
    },
  )
}

function shortDiff(path: string, expected: Uint8Array, actual: Uint8Array): string {
  const [old, now] = [textOf(expected), textOf(actual)]
  const name = quotedName(path)
  if (old === undefined || now === undefined) return `Binary files ${name} differ\n`
  const hunks = hunksBetween(old, now)
  if (hunks === undefined) return `The versions of ${name} differ too much to compare\n`
  const patch = `--- ${name}\texpected\n+++ ${name}\tnow\n${hunks}`
  if (patch.length <= MAX_SHORT) return patch
  const end = patch.lastIndexOf('\n', MAX_SHORT)
  return `${patch.slice(0, end > 0 ? end : MAX_SHORT)}\n… (${patch.length - MAX_SHORT} more characters)\n`
}

/** Returns hunks without a header, an empty string for equal texts, or `undefined` if the texts differ too much. */
export function hunksBetween(old: string, now: string): string | undefined {
  if (old === now) return ''
  const size = old.length + now.length
  if (size > MAX_INPUT) return hunksOfLong(old, now)
  const options = { context: CONTEXT, headerOptions: OMIT_HEADERS, ...(size > MAX_SMALL ? LIMITS.large : LIMITS.small) }
  return createTwoFilesPatch('', '', old, now, '', '', options) as string | undefined
}

/** Compares only what lies between the lines that both texts begin and end with. */
function hunksOfLong(old: string, now: string): string | undefined {
  const shorter = Math.min(old.length, now.length)
  let from = 0
  while (from < shorter && old.charCodeAt(from) === now.charCodeAt(from)) from += 1
  let sameAtEnd = 0
  while (sameAtEnd < shorter - from && old.charCodeAt(old.length - 1 - sameAtEnd) === now.charCodeAt(now.length - 1 - sameAtEnd))
    sameAtEnd += 1
  let to = old.length - sameAtEnd
  for (let line = 0; line <= CONTEXT; line += 1) {
    from = from < 2 ? 0 : old.lastIndexOf('\n', from - 2) + 1
    to = old.indexOf('\n', to) + 1 || old.length
  }
  const between = [old.slice(from, to), now.slice(from, now.length - (old.length - to))] as const
  if (between[0].length + between[1].length > MAX_INPUT) return undefined
  const linesBefore = old.slice(0, from).split('\n').length - 1
  return hunksBetween(...between)?.replaceAll(
    /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/gm,
    (_, start, count, newStart, newCount) => `@@ -${+start + linesBefore},${count} +${+newStart + linesBefore},${newCount} @@`,
  )
}

export function quotedName(path: string): string {
  return /["\\\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

function textOf(bytes: Uint8Array): string | undefined {
  return quietly(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}
