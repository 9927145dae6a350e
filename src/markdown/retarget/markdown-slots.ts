import type { LinkSlots, TextRange } from '../../core/text/link-slots.ts'
import { type Definition, foldLabel, parseLinkTail, unescapeReferences } from '../destinations.ts'
import { htmlTargetRange } from '../html.ts'
import { destinationSlots, markdownDestination, type Wanted } from './destination-slots.ts'

interface Place extends TextRange {
  readonly wanted: Wanted
  /** What follows a `?` in a destination is no part of the path. */
  readonly query: boolean
}

/** The slots of `[text](destination "title")`, or of an image. */
export function inlineSlots(text: string, { start, end, wanted, query }: Place): LinkSlots | undefined {
  const raw = withoutQuoteMarks(text.slice(start, end))
  // The first `](` from which a destination reaches to the end of the link: an earlier one belongs to an image in its text.
  for (let at = raw.indexOf(']('); at !== -1; at = raw.indexOf('](', at + 1)) {
    const tail = parseLinkTail(raw, at + 1, raw.length)
    if (tail?.end !== raw.length) continue
    const slots = destinationSlots(markdownDestination(raw, tail), wanted, query)
    if (slots !== undefined) return moved(slots, start, { start, end })
  }
  return undefined
}

/** The slots of `[text][label]` in the definition of its label. */
export function referenceSlots(
  text: string,
  { start, end, wanted, query }: Place,
  definitions: ReadonlyMap<string, Definition>,
): LinkSlots | undefined {
  const raw = withoutQuoteMarks(text.slice(start, end))
  for (const label of labelsOf(raw)) {
    const definition = definitions.get(foldLabel(label) ?? '')
    const slots = definition && destinationSlots(markdownDestination(text, definition), wanted, query)
    if (slots !== undefined) return slots
  }
  return undefined
}

/** What may be the label: of `[text][label]` the second bracket, of `[label][]` and `[label]` the first. */
function labelsOf(raw: string): readonly string[] {
  const first = raw.replace(/^!/, '').slice(1, -1)
  const labels = [first.replace(/\]\[$/, '')]
  for (let at = raw.lastIndexOf(']['); at !== -1; at = at === 0 ? -1 : raw.lastIndexOf('][', at - 1)) {
    labels.unshift(raw.slice(at + 2, -1))
    if (raw.length - at > 1_010) break
  }
  return labels
}

/** The slots of the `href` or `src` of an HTML tag. */
export function htmlSlots(text: string, { start, end, wanted, query }: Place): LinkSlots | undefined {
  const tag = withoutQuoteMarks(text.slice(start, end))
  const range = htmlTargetRange(tag)
  if (range === undefined) return undefined
  const value = tag.slice(range[0], range[1])
  const from = range[0] + value.length - value.trimStart().length
  const quote = tag[range[0] - 1] ?? ''
  const enclosed = quote === '"' || quote === "'"
  const enders = enclosed ? quote : "'="
  const isEnded = (written: string) => (enclosed ? written.includes(quote) : /[\s"'=<>`]/.test(written))
  const read = (written: string): string | undefined => (isEnded(written) ? undefined : unescapeReferences(written))
  const written = { raw: value.trim(), start: from, enclosed, enders, read, shown: { start, end } }
  const slots = destinationSlots(written, wanted, query)
  return slots && moved(slots, start, { start, end })
}

/** A link may run over lines of a quote, whose marks are no part of it: they become spaces. */
function withoutQuoteMarks(raw: string): string {
  return raw.replace(/\n[ \t]*(?:>[ \t]?)+/g, (marks) => `\n${' '.repeat(marks.length - 1)}`)
}

function moved({ target, subpath }: LinkSlots, by: number, shown: TextRange): LinkSlots {
  const shift = <T extends TextRange>(slot: T): T => ({ ...slot, start: slot.start + by, end: slot.end + by })
  return { target: shift(target), ...(subpath === undefined ? {} : { subpath: shift(subpath) }), shown }
}
