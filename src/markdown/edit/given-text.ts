import { RouxError } from '../../core/errors.ts'

/** Half a surrogate pair: UTF-8 has no form for it. */
const LONE_SURROGATE = /\p{Cs}/u
/** Control characters, among them line breaks, and the two line breaks of Unicode. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/** A caller's mistake in the argument `name`. */
export function invalid(name: string, problem: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${name}: ${problem}`, hint === undefined ? {} : { hint })
}

/**
 * The text of the argument `name`.
 * @throws RouxError `INVALID_PARAMS` where UTF-8 cannot hold it.
 */
export function requireText(name: string, text: string): string {
  if (!LONE_SURROGATE.test(text)) return text
  throw invalid(name, 'expected text, found half of a surrogate pair.', 'Send whole characters.')
}

/**
 * The trimmed text of an argument that has to fit on a line.
 * @throws RouxError `INVALID_PARAMS` where it is blank or holds a line break or another control character.
 */
export function requireLine(name: string, text: string): string {
  const line = requireText(name, text).trim()
  if (line === '') throw invalid(name, 'expected text, found none.')
  if (CONTROL.test(line)) throw invalid(name, 'expected one line of text, found a line break or another control character.')
  return line
}
