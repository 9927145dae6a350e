import { hash as digest } from 'node:crypto'
import { RouxError } from '../../core/errors.ts'

/** The position from which a pack continues. */
export interface PackPosition {
  /** The vaults that were asked. */
  readonly vaults: readonly PackVault[]
  /** A digest of the question, without its budget. */
  readonly question: string
  /** The passages that were shown, best first. */
  readonly shown: readonly string[]
}

/** A vault that a pack is of. */
export interface PackVault {
  readonly name: string
  /** Where it lies. */
  readonly root: string
  readonly generation: number
}

/** Length of a digest: enough against accidental matches, not against forgery. */
const DIGITS = 12

/** A position as text. */
export function writeCursor({ vaults, question, shown }: PackPosition): string {
  const content = JSON.stringify([
    VERSION,
    vaults.map(({ name, root, generation }) => [name, shortDigest(root), generation]),
    shortDigest(question),
    shown.length,
    shortDigest(shown.join('\n')),
  ])
  return Buffer.from(shortDigest(content) + content).toString('base64url')
}

const VERSION = 1

/**
 * How many passages were already shown, all of them in `now.shown`.
 * @throws RouxError `INVALID_PARAMS` for a damaged cursor, or one of other vaults or another question; `CONFLICT` if
 * the notes changed and the shown passages are no longer first
 */
export function readCursor(cursor: string, now: PackPosition): number {
  const was = parse(cursor)
  const vaults = now.vaults.map(({ name, root }) => [name, shortDigest(root)])
  if (JSON.stringify(was.vaults.map(({ name, root }) => [name, root])) !== JSON.stringify(vaults)) {
    const names = was.vaults.map(({ name }) => name).filter((name) => name !== '')
    const of = names.length === 0 ? 'another vault' : `the vaults ${names.join(', ')}`
    throw refused('INVALID_PARAMS', `The cursor is of ${of}, or not all of them answer.`)
  }
  if (was.question !== shortDigest(now.question)) throw refused('INVALID_PARAMS', 'The cursor is of another question.')
  const shown = now.shown.slice(0, was.shown)
  if (shown.length === was.shown && shortDigest(shown.join('\n')) === was.digest) return was.shown
  const moved = now.vaults.filter(({ generation }, at) => generation !== was.vaults[at]?.generation)
  const why = moved.length === 0 ? 'more is found now' : 'the notes have changed since'
  throw refused('CONFLICT', `The cursor is too old: ${why}, and other passages come first.`)
}

interface ReadCursor {
  readonly vaults: readonly PackVault[]
  readonly question: string
  readonly shown: number
  readonly digest: string
}

function parse(cursor: string): ReadCursor {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const content = text.slice(DIGITS)
  if (text.slice(0, DIGITS) !== shortDigest(content))
    throw refused('INVALID_PARAMS', 'The cursor is damaged, or of another tool.')
  const [version, vaults, question, shown, digested] = JSON.parse(content) as readonly unknown[]
  if (version !== VERSION || !Array.isArray(vaults)) throw refused('INVALID_PARAMS', 'The cursor is of another version of Roux.')
  return {
    vaults: vaults.map(([name, root, generation]) => ({ name, root, generation })),
    question: String(question),
    shown: Number(shown),
    digest: String(digested),
  }
}

function refused(code: 'INVALID_PARAMS' | 'CONFLICT', message: string): RouxError {
  return new RouxError(code, message, {
    hint: 'Give the cursor as it was answered, with the same arguments, or ask again without it.',
  })
}

function shortDigest(text: string): string {
  return digest('sha256', text, 'hex').slice(0, DIGITS)
}
