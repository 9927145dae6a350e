import { queryError, shown } from './query-error.ts'
import type { Piece } from './read-token.ts'
import { COMPARISONS, QUOTE_IT, type Reading } from './read-value.ts'

/** ASCII that is neither letter, digit, `_`, `-` nor `/`, blanks, and general punctuation end a tag, as in Obsidian. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const NOT_IN_TAGS = /[\x00-,.:-@[-^`{-\x7f\s\u2000-\u206f\u2e00-\u2e7f]/

/** The name of a tag, without `#` in front and `/` at the end. */
export function readTag(piece: Piece, reading: Reading): string {
  const sign = piece.text.startsWith('#') && reading.text[piece.span.start - 1] !== '#' ? 1 : 0
  const name = piece.text.slice(sign).replace(/(?<!\/)\/+$/, '')
  const first = piece.span.start + (piece.isQuoted ? 1 : 0) + sign
  if (name === '')
    throw queryError(reading.text, {
      at: first,
      problem: 'the name of a tag is missing',
      hint: `Write it without a blank: #project. ${QUOTE_IT}.`,
    })
  const wrong = NOT_IN_TAGS.exec(name)
  if (wrong !== null) {
    // `#status:done` is how other languages write properties.
    const hint = '<>!:'.includes(wrong[0]) ? COMPARISONS : `A tag has letters, digits, "_", "-" and "/". ${QUOTE_IT}.`
    throw queryError(reading.text, { at: first + wrong.index, problem: `${shown(wrong[0])} cannot be in a tag`, hint })
  }
  if (/^[\d/]*$/.test(name)) {
    throw queryError(reading.text, {
      at: first,
      problem: `${shown(name)} is no tag: one of digits alone is none`,
      hint: 'For the number write it without "#".',
    })
  }
  return name
}
