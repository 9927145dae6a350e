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

export interface EditableDestination extends WrittenDestination {
  /** True in angle brackets and quotes, where spaces are allowed. */
  readonly enclosed: boolean
  readonly enders: string
  readonly shown: TextRange
  /** Decodes escapes, but not percent-encoding. @returns `undefined` if the destination cannot be decoded */
  readonly read: (raw: string) => string | undefined
}

export type LinkParts = Pick<PlacedLink, 'target' | 'subpath'>

/** @param query whether `?` ends the path @returns `undefined` if the destination does not match the link */
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

/** The path ends at the first `#`, which may be escaped. */
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

export function htmlDestination(text: string, { raw, start }: WrittenDestination, shownRange: TextRange): EditableDestination {
  const quote = text.slice(shownRange.start, start).trimEnd().at(-1) ?? ''
  const enclosed = quote === '"' || quote === "'"
  const enders = enclosed ? quote : "'="
  const isEnded = (source: string) => (enclosed ? source.includes(quote) : /[\s"'=<>`]/.test(source))
  const read = (source: string): string | undefined => (isEnded(source) ? undefined : unescapeReferences(source))
  return { raw, start, enclosed, enders, read, shown: shownRange }
}

export interface DestinationStyle {
  /** True if spaces stay unencoded, as in angle brackets and quoted attributes. */
  readonly spaces: boolean
  /** True if letters beyond ASCII are percent-encoded. */
  readonly ascii: boolean
  readonly enders: string
}

/** Matches characters that would end a destination, start another construct, or be decoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a destination.
const RESERVED = /[\x00-\x1f\x7f%\\`<>[\]|$"?]/g

function styleOf(destination: { readonly raw: string; readonly enclosed: boolean; readonly enders: string }): DestinationStyle {
  const { raw, enclosed, enders } = destination
  return { spaces: enclosed && !raw.includes('%20'), ascii: /%[89a-f][0-9a-f]/i.test(raw), enders }
}

export function encodeDestination(value: string, style: DestinationStyle): string {
  let text = value.replace(RESERVED, percent)
  if (!style.spaces) text = text.replaceAll(' ', '%20')
  if (style.ascii) text = text.replace(/[^\0-\x7f]+/g, percent)
  for (const ender of style.enders) text = text.replaceAll(ender, hex)
  if (!isBalanced(text)) text = text.replace(/[()]/g, hex)
  // A reference such as `&…;` would be decoded, and a leading scheme would make the link external.
  text = text.replace(/&(?=[#\w]+;)/g, hex)
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(':', '%3A') : text
}

/** Percent-encodes text. Lone surrogates cannot be encoded, but a later check rejects the result. */
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
