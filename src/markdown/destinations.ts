import type { Link } from '../core/note.ts'
import { decodePercent } from '../core/text/fold.ts'
import {
  BACKSLASH,
  GT,
  isPunctuation,
  isWhitespace,
  LBRACKET,
  LF,
  LPAREN,
  LT,
  RBRACKET,
  RPAREN,
  skipWhitespace,
} from './chars.ts'

/** This limit is that of cmark and micromark. It keeps parsing of `[a](b[a](b…` linear. */
const MAX_PARENTHESES = 32
const MAX_LABEL = 999

export interface Destination {
  /** The destination as written, without angle brackets. */
  readonly raw: string
  readonly start: number
  /** The offset after the destination, or after the whole construct. */
  readonly end: number
}

function parseDestination(text: string, start: number, end: number): Destination | undefined {
  return text.charCodeAt(start) === LT && start < end ? angleDestination(text, start, end) : bareDestination(text, start, end)
}

function angleDestination(text: string, start: number, end: number): Destination | undefined {
  for (let i = start + 1; i < end; i++) {
    const c = text.charCodeAt(i)
    if (c === GT) return { raw: text.slice(start + 1, i), start: start + 1, end: i + 1 }
    if (c === LF || c === LT) return undefined
    if (c === BACKSLASH && i + 1 < end && isPunctuation(text.charCodeAt(i + 1))) i++
  }
  return undefined
}

/** Matches characters that can end a bare destination. A regular expression is several times faster than a loop. */
const STOP = /[\0- ()\\\x7f]/g

function bareDestination(text: string, start: number, end: number): Destination | undefined {
  let depth = 0
  let i = start
  for (; i < end; i++) {
    STOP.lastIndex = i
    i = STOP.test(text) ? STOP.lastIndex - 1 : end
    if (i >= end) break
    const c = text.charCodeAt(i)
    if (c === BACKSLASH) {
      if (i + 1 < end && isPunctuation(text.charCodeAt(i + 1))) i++
    } else if (c === LPAREN) {
      if (++depth > MAX_PARENTHESES) return undefined
    } else if (c === RPAREN) {
      if (depth-- === 0) break
    } else break
  }
  // The depth is -1 after the `)` that closes the link.
  return depth > 0 ? undefined : { raw: text.slice(start, Math.min(i, end)), start, end: Math.min(i, end) }
}

function titleEnd(text: string, start: number, end: number): number {
  const open = text.charCodeAt(start)
  if (start >= end || (open !== 34 && open !== 39 && open !== LPAREN)) return -1
  const close = open === LPAREN ? RPAREN : open
  for (let i = start + 1; i < end; i++) {
    const c = text.charCodeAt(i)
    if (c === close) return i + 1
    if (c === LPAREN && open === LPAREN) return -1
    if (c === BACKSLASH) i++
  }
  return -1
}

/** Parses the tail of a link. `start` is the opening parenthesis of `(destination "title")`. */
export function parseLinkTail(text: string, start: number, end: number): Destination | undefined {
  const destination = parseDestination(text, skipWhitespace(text, start + 1, end), end)
  if (!destination) return undefined
  let i = skipWhitespace(text, destination.end, end)
  if (i > destination.end) {
    const afterTitle = titleEnd(text, i, end)
    if (afterTitle !== -1) i = skipWhitespace(text, afterTitle, end)
  }
  return i < end && text.charCodeAt(i) === RPAREN ? { raw: destination.raw, start: destination.start, end: i + 1 } : undefined
}

/** @returns the offset after `[…]`, or -1 */
export function labelEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_LABEL + 2)
  for (let i = start + 1; i < limit; i++) {
    const c = text.charCodeAt(i)
    if (c === RBRACKET) return i + 1
    if (c === LBRACKET) return -1
    if (c === BACKSLASH) i++
  }
  return -1
}

/** @returns `undefined` if the label is invalid */
export function foldLabel(label: string): string | undefined {
  if (label.length > MAX_LABEL) return undefined
  const folded = label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase()
  return folded === '' ? undefined : folded
}

export interface WrittenDestination {
  readonly raw: string
  readonly start: number
}

/** A part of the text. `base` is added to get offsets in the file. */
interface Span {
  readonly start: number
  readonly end: number
  readonly base: number
}

/** Moves the leading link reference definitions into `into`. @returns the start of the remaining text */
export function takeDefinitions(text: string, span: Span, into: Map<string, WrittenDestination>): number {
  let at = span.start
  while (at < span.end && text.charCodeAt(at) === LBRACKET) {
    const after = takeDefinition(text, { ...span, start: at }, into)
    if (after === -1) return at
    at = after
    while (at < span.end && isWhitespace(text.charCodeAt(at))) at++
  }
  return at
}

function takeDefinition(text: string, { start, end, base }: Span, into: Map<string, WrittenDestination>): number {
  const afterLabel = labelEnd(text, start, end)
  if (afterLabel === -1 || text[afterLabel] !== ':' || afterLabel >= end) return -1
  const label = foldLabel(text.slice(start + 1, afterLabel - 1))
  if (label === undefined) return -1
  const from = skipWhitespace(text, afterLabel + 1, end)
  const destination = parseDestination(text, from, end)
  if (!destination || destination.end === from) return -1
  const after = afterDefinition(text, destination.end, end)
  if (after !== -1 && !into.has(label)) into.set(label, { raw: destination.raw, start: destination.start + base })
  return after
}

function afterDefinition(text: string, from: number, end: number): number {
  const title = skipWhitespace(text, from, end)
  const afterTitle = title > from ? titleEnd(text, title, end) : -1
  const withTitle = afterTitle === -1 ? -1 : blankUntilLineEnd(text, afterTitle, end)
  return withTitle !== -1 ? withTitle : blankUntilLineEnd(text, from, end)
}

function blankUntilLineEnd(text: string, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const c = text.charCodeAt(i)
    if (c === LF) return i + 1
    if (!isWhitespace(c)) return -1
  }
  return end
}

const EXTERNAL = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

/** Returns true for destinations with a scheme, and for those that start with `//`. */
export function isExternal(destination: string): boolean {
  return EXTERNAL.test(destination)
}

export function unescapeText(raw: string): string {
  if (!raw.includes('\\') && !raw.includes('&')) return raw
  return raw.replace(ESCAPES, (whole, escaped: string | undefined, reference: string | undefined) =>
    escaped !== undefined ? escaped : (characterOf(reference ?? '') ?? whole),
  )
}

/** Decodes references. HTML has no backslash escapes, so these stay. */
export function unescapeReferences(value: string): string {
  return value.includes('&') ? unescapeText(value.replaceAll('\\', '\\\\')) : value
}

const ESCAPES = /\\([!-/:-@[-`{-~])|&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/g

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return namedCharacter(reference)
  const hex = reference[1] === 'x' || reference[1] === 'X'
  const code = Number.parseInt(reference.slice(hex ? 2 : 1), hex ? 16 : 10)
  const invalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
  return invalid ? '\ufffd' : String.fromCodePoint(code)
}

/** The names of HTML entities for U+00A0 to U+00FF, in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
  'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  num: '#',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  rsqb: ']',
  percnt: '%',
  ndash: '\u2013',
  mdash: '\u2014',
  hellip: '\u2026',
}
let latin: Map<string, string> | undefined

function namedCharacter(name: string): string | undefined {
  if (Object.hasOwn(NAMED_CHARACTERS, name)) return NAMED_CHARACTERS[name]
  latin ??= new Map(LATIN.split(' ').map((each, i) => [each, String.fromCharCode(0xa0 + i)]))
  return latin.get(name)
}

/** Splits a destination and percent-decodes both parts. */
export function splitDestination(destination: string): Pick<Link, 'target'> & { readonly subpath: string | undefined } {
  const hash = destination.indexOf('#')
  if (hash === -1) return { target: decodePercent(destination), subpath: undefined }
  return { target: decodePercent(destination.slice(0, hash)), subpath: decodePercent(destination.slice(hash + 1)) }
}
