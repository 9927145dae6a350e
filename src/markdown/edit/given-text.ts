import { RouxError } from '../../core/errors.ts'

/** Matches half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Cs}/u
const CONTROL = /[\p{Cc}\u2028\u2029]/u

export function invalid(name: string, problem: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${name}: ${problem}`, { hint })
}

/** @throws RouxError `INVALID_PARAMS` if the text contains a lone surrogate */
export function requireText(name: string, text: string): string {
  if (!LONE_SURROGATE.test(text)) return text
  throw invalid(name, 'expected text, but found half of a surrogate pair.', 'Send only complete characters.')
}

/** @returns the trimmed text @throws RouxError `INVALID_PARAMS` if it is blank or contains line breaks or control characters */
export function requireLine(name: string, text: string): string {
  const line = requireText(name, text).trim()
  if (line === '') throw invalid(name, 'expected text, but it is empty.')
  if (CONTROL.test(line)) throw invalid(name, 'expected one line of text, but found a line break or another control character.')
  return line
}
