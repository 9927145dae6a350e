import type { Answer } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'

/** The white space after a sentence, or after a clause that ends with a semicolon. */
const END = /(?<=[.!?;])\s+/

/**
 * Removes sentences that name a tool the client is not offered from warnings, because the client cannot follow their advice. A
 * warning without other sentences is kept.
 */
export function onlyOffered<V>(answer: Answer<V>, missing: readonly string[]): Answer<V> {
  if (answer.warnings.length === 0) return answer
  const warnings = answer.warnings.map((warning) => ({
    ...warning,
    message: offeredPart(warning.message, missing) || warning.message,
  }))
  return { ...answer, warnings }
}

/** Like `onlyOffered`, but for an error's hint. */
export function onlyOfferedHint(error: unknown, missing: readonly string[]): unknown {
  if (!(error instanceof RouxError) || error.hint === undefined) return error
  const hint = offeredPart(error.hint, missing)
  if (hint === error.hint) return error
  const { code, message, candidates, isTransient } = error
  return new RouxError(code, message, { ...(hint === '' ? {} : { hint }), candidates, isTransient, cause: error })
}

function offeredPart(text: string, missing: readonly string[]): string {
  // Skip one-word names such as `ask` or `map`, which may just be English words.
  const names = missing.filter((name) => name.includes('_') && text.includes(name))
  if (names.length === 0) return text
  const namesPattern = new RegExp(`\\b(?:${names.join('|')})\\b`)
  return text
    .split(END)
    .filter((sentence) => !namesPattern.test(sentence))
    .join(' ')
    .replace(/;$/, '.')
}
