import type { LinkSlots, PlacedLink, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import { decodePercent, isExternal, parseLinkTail, unescapeText } from '../destinations.ts'
import { type DestinationStyle, encodeDestination, styleOf } from './encode-destination.ts'

/** A destination in a text: `raw` stands at `start`. */
export interface WrittenDestination {
  readonly raw: string
  readonly start: number
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
export function destinationSlots(written: WrittenDestination, wanted: Wanted, query: boolean): LinkSlots | undefined {
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
function hashAt({ raw, read }: WrittenDestination): { readonly at: number; readonly after: number } | undefined {
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

function isSaid({ read }: WrittenDestination, raw: string, wanted: Wanted): boolean {
  const destination = read(raw)
  if (destination === undefined || destination === '' || isExternal(destination)) return false
  const hash = destination.indexOf('#')
  const target = decodePercent(hash === -1 ? destination : destination.slice(0, hash))
  const subpath = hash === -1 ? undefined : decodePercent(destination.slice(hash + 1))
  return target === wanted.target && subpath === wanted.subpath
}

/** The destination of a Markdown link or definition, whose `raw` stands at `start` of a text. */
export function markdownDestination(
  text: string,
  { raw, start }: { readonly raw: string; readonly start: number },
  shown?: TextRange,
): WrittenDestination {
  const enclosed = text[start - 1] === '<'
  const read = (written: string): string | undefined => {
    const tail = enclosed ? `(<${written}>)` : `(${written})`
    const parsed = parseLinkTail(tail, 0, tail.length)
    return parsed?.end === tail.length && parsed.raw === written && !isExternal(written) ? unescapeText(written) : undefined
  }
  return { raw, start, enclosed, enders: '', read, shown: shown ?? { start, end: start + raw.length } }
}
