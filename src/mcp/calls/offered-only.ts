import type { Answer } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'

/** The end of a sentence, or of a part of one. */
const END = /(?<=[.!?;])\s+/

/**
 * Removes the sentences of warnings that name a tool which the client is not offered, because it cannot follow them. A warning of a
 * single sentence stays.
 */
export function onlyOffered<V>(answer: Answer<V>, missing: readonly string[]): Answer<V> {
  if (answer.warnings.length === 0) return answer
  const warnings = answer.warnings.map((warning) => ({
    ...warning,
    message: offeredPart(warning.message, missing) || warning.message,
  }))
  return { ...answer, warnings }
}

/** Like `onlyOffered`, for the hint of an error. */
export function onlyOfferedHint(thrown: unknown, missing: readonly string[]): unknown {
  if (!(thrown instanceof RouxError) || thrown.hint === undefined) return thrown
  const hint = offeredPart(thrown.hint, missing)
  if (hint === thrown.hint) return thrown
  const { code, message, candidates, isTransient } = thrown
  return new RouxError(code, message, { ...(hint === '' ? {} : { hint }), candidates, isTransient, cause: thrown })
}

function offeredPart(text: string, missing: readonly string[]): string {
  // Names of one word are also English words: a sentence with `ask` or `map` need not mean the tool.
  const names = missing.filter((name) => name.includes('_') && text.includes(name))
  if (names.length === 0) return text
  const named = new RegExp(`\\b(?:${names.join('|')})\\b`)
  return text
    .split(END)
    .filter((sentence) => !named.test(sentence))
    .join(' ')
    .replace(/;$/, '.')
}
