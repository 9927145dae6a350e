import type { LinkSlots, PlacedLink, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import {
  isExternal,
  parseLinkTail,
  splitDestination,
  unescapeReferences,
  unescapeText,
  type WrittenDestination,
} from '../destinations.ts'

/** A destination, and what can stand in its place. */
export interface EditableDestination extends WrittenDestination {
  /** Spaces may stand in it: angle brackets or quotes enclose it. */
  readonly enclosed: boolean
  /** Characters that would end it, besides those that end any. */
  readonly enders: string
  readonly shown: TextRange
  /** What a parser makes of it before percent codes are decoded; `undefined` where it could not stand there. */
  readonly read: (raw: string) => string | undefined
}

export type Wanted = Pick<PlacedLink, 'target' | 'subpath'>

/** The slots of a destination, if it says what the link says. `query`: what follows a `?` is no part of the path. */
export function destinationSlots(written: EditableDestination, wanted: Wanted, query: boolean): LinkSlots | undefined {
  const { raw, start } = written
  if (!isSaid(written, raw, wanted)) return undefined
  const hash = hashAt(written)
  const pathEnd = hash?.at ?? raw.length
  const mark = query ? raw.slice(0, pathEnd).indexOf('?') : -1
  const targetEnd = mark > 0 ? mark : pathEnd
  const style = styleOf(written)
  const rest = wanted.target.indexOf('?')
  const kept = mark > 0 && rest > 0 ? wanted.target.slice(rest) : ''
  const target: TextSlot = {
    start,
    end: start + targetEnd,
    write: (value) => {
      const text = writeTarget(value, style)
      return isSaid(written, text + raw.slice(targetEnd), { ...wanted, target: value + kept }) ? text : undefined
    },
  }
  if (hash === undefined) return { target, shown: written.shown }
  const from = hash.after
  const subpath: TextSlot = {
    start: start + from,
    end: start + raw.length,
    write: (value) => {
      const text = encodeDestination(value, style)
      return isSaid(written, raw.slice(0, from) + text, { ...wanted, subpath: value }) ? text : undefined
    },
  }
  return { target, subpath, shown: written.shown }
}

function writeTarget(value: string, style: DestinationStyle): string {
  return encodeDestination(value, style).replaceAll('#', '%23')
}

/** Where the path ends: the first `#`, be it escaped. */
function hashAt({ raw, read }: EditableDestination): { readonly at: number; readonly after: number } | undefined {
  if (!raw.includes('&') && !raw.includes('\\')) {
    const at = raw.indexOf('#')
    return at === -1 ? undefined : { at, after: at + 1 }
  }
  for (const { 0: token, index } of raw.matchAll(TOKEN)) {
    if (read(token)?.startsWith('#')) return { at: index, after: index + token.length }
  }
  return undefined
}

const TOKEN = /\\[!-/:-@[-`{-~]|&(?:#?\w+);|./gs

function isSaid({ read }: EditableDestination, raw: string, wanted: Wanted): boolean {
  const destination = read(raw)
  if (destination === undefined || destination === '' || isExternal(destination)) return false
  const { target, subpath } = splitDestination(destination)
  return target === wanted.target && subpath === wanted.subpath
}

/** The destination of a Markdown link or a definition. */
export function markdownDestination(text: string, { raw, start }: WrittenDestination, shown?: TextRange): EditableDestination {
  const enclosed = text[start - 1] === '<'
  const read = (written: string): string | undefined => {
    const tail = enclosed ? `(<${written}>)` : `(${written})`
    const parsed = parseLinkTail(tail, 0, tail.length)
    return parsed?.end === tail.length && parsed.raw === written && !isExternal(written) ? unescapeText(written) : undefined
  }
  return { raw, start, enclosed, enders: '', read, shown: shown ?? { start, end: start + raw.length } }
}

/** The destination of an HTML tag that stands at `shown`. */
export function htmlDestination(text: string, { raw, start }: WrittenDestination, shown: TextRange): EditableDestination {
  const quote = text.slice(shown.start, start).trimEnd().at(-1) ?? ''
  const enclosed = quote === '"' || quote === "'"
  const enders = enclosed ? quote : "'="
  const isEnded = (written: string) => (enclosed ? written.includes(quote) : /[\s"'=<>`]/.test(written))
  const read = (written: string): string | undefined => (isEnded(written) ? undefined : unescapeReferences(written))
  return { raw, start, enclosed, enders, read, shown }
}

/** In which manner a destination is written. */
export interface DestinationStyle {
  /** A space stands for itself: between angle brackets, in a quoted attribute. */
  readonly spaces: boolean
  /** Letters beyond ASCII are percent-encoded. */
  readonly ascii: boolean
  /** Characters that may not stand in it, besides those that may stand in none. */
  readonly enders: string
}

/** What would end a destination, begin something else before a parser sees the link, or be decoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a destination.
const RESERVED = /[\x00-\x1f\x7f%\\`<>[\]|$"?]/g

/** The manner of a destination as it stands: percent codes for letters and spaces stay percent codes. */
export function styleOf(written: {
  readonly raw: string
  readonly enclosed: boolean
  readonly enders: string
}): DestinationStyle {
  const { raw, enclosed, enders } = written
  return { spaces: enclosed && !raw.includes('%20'), ascii: /%[89a-f][0-9a-f]/i.test(raw), enders }
}

/** Percent-encodes a path or heading so far as it must be. */
export function encodeDestination(value: string, style: DestinationStyle): string {
  let text = value.replace(RESERVED, percent)
  if (!style.spaces) text = text.replaceAll(' ', '%20')
  if (style.ascii) text = text.replace(/[^\0-\x7f]+/g, percent)
  for (const ender of style.enders) text = text.replaceAll(ender, hex)
  if (!isBalanced(text)) text = text.replace(/[()]/g, hex)
  // What looks like a character reference would be decoded as one; a scheme leads outside.
  text = text.replace(/&(?=[#\w]+;)/g, hex)
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(':', '%3A') : text
}

/** Lone surrogates cannot be encoded: they stay, and what is written then is not what was wanted. */
function percent(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const c of text) {
    if (c === '(') depth++
    else if (c === ')' && --depth < 0) return false
  }
  return depth === 0
}
