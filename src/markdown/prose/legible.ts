import { blankData } from '../../core/text/inline-data.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { codeIn } from '../code.ts'

const IMAGE =
  /\[!\[[^[\]]*\]\([^()\n]*\)\]\([^()\n]*\)|!\[[^[\]]*\](?:\([^()\n]*\)|\[[^[\]]*\])|!\[\[[^[\]|\n]*\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:\|[^[\]\n]*)?\]\]/gi
/** Matches HTML tags, but not the `<path>` of a link, which looks like a tag. */
const TAG = /<(?!(?<=\]\(<)[^<>]*>[\s)])\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>/gi
const COMMENTS = [
  ['<!--', '-->'],
  ['%%', '%%'],
] as const
/** Replaces comments, HTML tags and images with spaces, so offsets stay the same. */
export function legible(text: string): string {
  const whole = blankData(text)
  const visible = withoutHidden(whole)
  if (visible === whole || !mayHideCode(whole)) return visible
  const code = codeIn(whole)
  if (code.length === 0) return visible
  const withoutCode = replaced(whole, code, (part) => part.replace(/[^\n]/g, CODE_PLACEHOLDER))
  const remaining = withoutHidden(withoutCode)
  // Code stays hidden if it is inside a comment.
  const visibleCode = code.filter(({ start }) => remaining[start] === CODE_PLACEHOLDER)
  return replaced(remaining, visibleCode, (_, { start, end }) => whole.slice(start, end))
}

const CODE_PLACEHOLDER = 'x'
const HIDES = /<|!\[|%%/

function mayHideCode(text: string): boolean {
  if (text.includes('```') || text.includes('~~~')) return true
  for (let at = text.indexOf('`'); at >= 0; ) {
    const end = text.indexOf('\n', at)
    if (HIDES.test(text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end))) return true
    at = end < 0 ? -1 : text.indexOf('`', end)
  }
  return false
}

function withoutHidden(text: string): string {
  let visible = text
  for (const [open, close] of COMMENTS) if (visible.includes(open)) visible = blankBetween(visible, open, close)
  if (visible.includes('![')) visible = visible.replace(IMAGE, blank)
  return visible.includes('<') ? visible.replace(TAG, blank) : visible
}

/** Replaces `parts`, which must be in order and not nested. Replacements must keep the length. */
function replaced(text: string, parts: readonly TextRange[], by: (part: string, range: TextRange) => string): string {
  let at = 0
  let result = ''
  for (const part of parts) {
    result += text.slice(at, part.start) + by(text.slice(part.start, part.end), part)
    at = part.end
  }
  return result + text.slice(at)
}

function blankBetween(text: string, open: string, close: string): string {
  let visible = ''
  let at = 0
  for (let from = text.indexOf(open); from >= 0; from = text.indexOf(open, at)) {
    const end = text.indexOf(close, from + open.length)
    if (end < 0) break
    visible += text.slice(at, from) + blank(text.slice(from, end + close.length))
    at = end + close.length
  }
  return visible + text.slice(at)
}

/** Replaces text with spaces. Filling line by line speeds a search up by a tenth. */
export function blank(hidden: string): string {
  if (!hidden.includes('\n')) return ' '.repeat(hidden.length)
  const lines = hidden.split('\n')
  return lines.map((line) => ' '.repeat(line.length)).join('\n')
}

export function withoutGaps(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/(?<=\S)\s{2,}/g, ' '))
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
