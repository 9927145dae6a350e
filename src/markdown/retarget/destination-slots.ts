import { quietly } from '../../core/quietly.ts'
import type { LinkSlots, PlacedLink, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import {
  isExternal,
  parseLinkTail,
  splitDestination,
  unescapeReferences,
  unescapeText,
  type WrittenDestination,
} from '../destinations.ts'

/** A destination, and the rules for text that may replace it. */
export interface EditableDestination extends WrittenDestination {
  /** True if the destination may contain spaces, because it is in angle brackets or quotes. */
  readonly enclosed: boolean
  /** Characters that end this destination, in addition to those that end any destination. */
  readonly enders: string
  readonly shown: TextRange
  /** Decodes the escapes in a destination, but not percent-encoding. Returns `undefined` if it cannot be decoded. */
  readonly read: (raw: string) => string | undefined
}

export type LinkParts = Pick<PlacedLink, 'target' | 'subpath'>

/** Returns the slots of a destination if it matches the link. If `query` is set, text after `?` is not part of the path. */
export function destinationSlots(destination: EditableDestination, parts: LinkParts, query: boolean): LinkSlots | undefined {
  const { raw, start } = destination
  if (!readsAs(destination, raw, parts)) return undefined
  const hash = hashAt(destination)
  const pathEnd = hash?.at ?? raw.length
  const mark = query ? raw.slice(0, pathEnd).indexOf('?') : -1
  const targetEnd = mark > 0 ? mark : pathEnd
  const style = styleOf(destination)
  const rest = parts.target.indexOf('?')
  const keptQuery = mark > 0 && rest > 0 ? parts.target.slice(rest) : ''
  const target: TextSlot = {
    start,
    end: start + targetEnd,
    write: (value) => {
      const text = encodeDestination(value, style).replaceAll('#', '%23')
      return readsAs(destination, text + raw.slice(targetEnd), { ...parts, target: value + keptQuery }) ? text : undefined
    },
  }
  if (hash === undefined) return { target, shown: destination.shown }
  const from = hash.after
  const subpath: TextSlot = {
    start: start + from,
    end: start + raw.length,
    write: (value) => {
      const text = encodeDestination(value, style)
      return readsAs(destination, raw.slice(0, from) + text, { ...parts, subpath: value }) ? text : undefined
    },
  }
  return { target, subpath, shown: destination.shown }
}

/** Returns the range of the first `#`, which ends the path. It may be escaped. */
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

function readsAs({ read }: EditableDestination, raw: string, parts: LinkParts): boolean {
  const destination = read(raw)
  if (destination === undefined || destination === '' || isExternal(destination)) return false
  const { target, subpath } = splitDestination(destination)
  return target === parts.target && subpath === parts.subpath
}

export function markdownDestination(text: string, { raw, start }: WrittenDestination, shown?: TextRange): EditableDestination {
  const enclosed = text[start - 1] === '<'
  const read = (source: string): string | undefined => {
    const tail = enclosed ? `(<${source}>)` : `(${source})`
    const parsed = parseLinkTail(tail, 0, tail.length)
    return parsed?.end === tail.length && parsed.raw === source && !isExternal(source) ? unescapeText(source) : undefined
  }
  return { raw, start, enclosed, enders: '', read, shown: shown ?? { start, end: start + raw.length } }
}

/** Creates the editable destination of the HTML tag at `shown`. */
export function htmlDestination(text: string, { raw, start }: WrittenDestination, shownRange: TextRange): EditableDestination {
  const quote = text.slice(shownRange.start, start).trimEnd().at(-1) ?? ''
  const enclosed = quote === '"' || quote === "'"
  const enders = enclosed ? quote : "'="
  const isEnded = (source: string) => (enclosed ? source.includes(quote) : /[\s"'=<>`]/.test(source))
  const read = (source: string): string | undefined => (isEnded(source) ? undefined : unescapeReferences(source))
  return { raw, start, enclosed, enders, read, shown: shownRange }
}

export interface DestinationStyle {
  /** True if spaces are not encoded, for example in angle brackets and quoted attributes. */
  readonly spaces: boolean
  /** True if non-ASCII letters are percent-encoded. */
  readonly ascii: boolean
  /** Characters to encode, in addition to those that are always encoded. */
  readonly enders: string
}

/** Characters that would end a destination, start another construct, or be decoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a destination.
const RESERVED = /[\x00-\x1f\x7f%\\`<>[\]|$"?]/g

/** Returns the style of an existing destination. Encoded letters and spaces stay encoded. */
function styleOf(destination: { readonly raw: string; readonly enclosed: boolean; readonly enders: string }): DestinationStyle {
  const { raw, enclosed, enders } = destination
  return { spaces: enclosed && !raw.includes('%20'), ascii: /%[89a-f][0-9a-f]/i.test(raw), enders }
}

/** Percent-encodes a path or heading, but only as far as necessary. */
export function encodeDestination(value: string, style: DestinationStyle): string {
  let text = value.replace(RESERVED, percent)
  if (!style.spaces) text = text.replaceAll(' ', '%20')
  if (style.ascii) text = text.replace(/[^\0-\x7f]+/g, percent)
  for (const ender of style.enders) text = text.replaceAll(ender, hex)
  if (!isBalanced(text)) text = text.replace(/[()]/g, hex)
  // Encode text that looks like a character reference, which would be decoded, and text that looks like a scheme, which would make
  // the link external.
  text = text.replace(/&(?=[#\w]+;)/g, hex)
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(':', '%3A') : text
}

/** Percent-encodes text. Keeps lone surrogates, which cannot be encoded. The destination then fails the later check. */
function percent(text: string): string {
  return quietly(() => encodeURIComponent(text)) ?? text
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
