import type { Comparison } from '../../core/query.ts'
import { foldName } from '../../core/text/fold.ts'
import { absolutePeriod } from './period.ts'
import { readNumber } from './read-comparison.ts'

/** Compares a property value given as text: a number with a number, otherwise a date with a period; never text. */
export function compares(value: string, { operator, number, period }: Comparison): boolean {
  const own = readNumber(value)
  if (own !== undefined && number !== undefined) return holds(operator, own, { first: number, last: number })
  const date = period === undefined ? undefined : readDate(value)
  return date !== undefined && period !== undefined && holds(operator, date, { first: period.from, last: period.to - 1 })
}

/** A date that has no time counts as its first moment. */
function holds(
  operator: Comparison['operator'],
  own: number,
  { first, last }: { readonly first: number; readonly last: number },
) {
  switch (operator) {
    case '<':
      return own < first
    case '<=':
      return own <= last
    case '>':
      return own > last
    case '>=':
      return own >= first
  }
}

/** When a date begins, as properties write it: also with a blank before the time, and as a link to the note of a day. */
export function readDate(value: string): number | undefined {
  const link = /^\[\[(?:[^\]|#]*\/)?([^\]|#/]+)(?:[|#][^\]]*)?\]\]$/.exec(value)?.[1] ?? value
  return absolutePeriod(link.trim().replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'))?.from
}

/** The searchable texts of a property: each value, and the items of a comma-separated text (`drama, comedy`). */
export function askedTexts(texts: readonly string[]): readonly string[] {
  if (!texts.some((text) => LISTED.test(text))) return texts
  return texts.flatMap((text) => [text, ...(LISTED.test(text) ? text.split(LISTED).map((item) => item.trim()) : [])])
}

/** The folded texts that a value in a query matches: `done` also matches the note `[[done]]`. */
export function textsMeant(value: string): readonly string[] {
  const text = foldName(value.trim())
  return text === '' || text.startsWith('[[') ? [text] : [text, `[[${text}]]`]
}

/** `1,000` is one number. */
const LISTED = /,\s|[，、；;]/u
