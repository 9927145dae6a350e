import type { Condition } from '../core/query.ts'
import { foldTag } from '../core/text/fold.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { wordsLookup } from './query/query.ts'

/** A part of a query to match literally, such as a key combination, code or a tag. */
export interface Literal {
  /** A condition that matches a superset of the notes that contain the literal. */
  readonly candidates: Condition
  isIn(text: string): boolean
}

const MAX_LITERALS = 8

/**
 * Finds key combinations (`Ctrl+Shift+I`), code (`app.vault.read`, `hasTag()`, `snake_case`, `--flag`, text in backticks) and
 * tags (`#MOC`).
 */
export function literalsIn(question: string): readonly Literal[] {
  const literals = new Map<string, Literal>()
  const add = (literal: Literal | undefined, text: string): void => {
    if (literal !== undefined && literals.size < MAX_LITERALS) literals.set(text.toLowerCase(), literal)
  }
  const rest = question.replace(/`([^`]{1,200})`/g, (_, code: string) => {
    add(verbatim(code.trim()), code)
    return ' '
  })
  // Some people put spaces around the plus sign of a key combination.
  for (const [word] of rest
    .replace(/\s+/g, ' ')
    .replaceAll(' + ', '+')
    .matchAll(/[^\s"“”„,;?!]+/g))
    add(literalOf(word), word)
  return [...literals.values()]
}

const KEY = /^(?:ctrl|control|cmd|command|alt|option|opt|shift|meta|super|win|mod|⌘|⌥|⇧|⌃)(?:\+[^\s+]{1,12})+$/iu
const CALL = /^[(]?((?:[\p{L}_$][\p{L}\p{N}_$]*\.)*[\p{L}_$][\p{L}\p{N}_$]*)\(\)[).:]*$/u
const TAG = /^[(]?#(?=[^\s#]*\p{L})([\p{L}\p{N}_/-]+)[).:]*$/u
const DOTTED = /^[(]?((?:[\p{L}_$][\p{L}\p{N}_$]+\.)+[\p{L}_$][\p{L}\p{N}_$]+)[).:]*$/u
const SNAKE = /^[(]?([\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+)[).:]*$/u
const FLAG = /^[(]?--(\p{L}[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)(?:=.*|[).:]*)$/u
/** Matches names of files and websites, which contain dots but are usually not meant literally. */
const FILE =
  /^[^.]+\.(?:md|txt|pdf|png|jpe?g|svg|gif|docx?|csv|json|ya?ml|html?|css|js|ts|com|org|net|io|app|dev|de|uk|edu|gov|info)$/iu

function literalOf(word: string): Literal | undefined {
  const key = trimEndOf(word, ').:').replace(/^\(/, '')
  if (KEY.test(key)) return literal(key, key.split('+').map(escaped).join('\\s*\\+\\s*'))
  const [, tag] = TAG.exec(word) ?? []
  if (tag !== undefined) return tagged(tag)
  const [, flag] = FLAG.exec(word) ?? []
  if (flag !== undefined) return literal(flag, `--${escaped(flag)}(?!-)`)
  const [, name] = CALL.exec(word) ?? SNAKE.exec(word) ?? (FILE.test(word) ? [] : (DOTTED.exec(word) ?? []))
  return name === undefined ? undefined : literal(name, escaped(name))
}

function tagged(tag: string): Literal {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_#&/])#${escaped(tag)}(?![\\p{L}\\p{N}_-])`, 'iu')
  return {
    candidates: { kind: 'or', parts: [{ kind: 'tag', name: foldTag(tag) }, wordsLookup(tag)] },
    isIn: (text) => pattern.test(text),
  }
}

function literal(words: string, pattern: string): Literal {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu')
  return { candidates: wordsLookup(words), isIn: (text) => whole.test(text) }
}

function verbatim(code: string): Literal | undefined {
  const candidates = wordsLookup(code)
  // The index does not contain punctuation.
  if (candidates.kind === 'nothing') return undefined
  const pattern = new RegExp(code.split(/\s+/).map(escaped).join('\\s+'), 'iu')
  return { candidates, isIn: (text) => pattern.test(text) }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
