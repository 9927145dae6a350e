import type { LinkSlots, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import { type CanvasText, sourceOffsets } from '../json-canvas/canvas-json.ts'

/** Markdown inside another notation: a JSON string, a YAML value. */
export interface Passage {
  /** The Markdown. */
  readonly text: string
  /** Maps an offset of `text` to the file. */
  sourceOf(offset: number): number
  /** How the file writes a piece of `text`. */
  encode(text: string): string
}

/** @param sources where each character of `text` stands in the file, and at last where the text ends */
export function mappedPassage(text: string, sources: Uint32Array, encode: Passage['encode']): Passage {
  return { text, sourceOf: (offset) => sources[offset] ?? 0, encode }
}

/** The Markdown of a canvas card in its JSON string. */
export function cardPassage(file: string, card: CanvasText): Passage {
  const sources = new Uint32Array(card.value.length + 1)
  const sourceOf = sourceOffsets(file, card)
  for (let i = 0; i < sources.length; i++) sources[i] = sourceOf(i)
  return mappedPassage(card.value, sources, (text) => jsonContent(text, ''))
}

/** A slot for the whole of a JSON string; `prefix` stands before what it says. */
export function stringSlot(file: string, { start, end }: CanvasText, prefix = ''): TextSlot {
  const raw = file.slice(start + 1, end - 1)
  return { start: start + 1 + prefix.length, end: end - 1, write: (value) => jsonContent(value, raw) }
}

/** The text between the quotes of a JSON string; slashes and letters beyond ASCII are escaped where `like` escapes them. */
function jsonContent(value: string, like: string): string {
  let text = JSON.stringify(value).slice(1, -1)
  if (like.includes('\\/')) text = text.replaceAll('/', '\\/')
  return /\\u(?!00[0-7])/i.test(like) ? text.replace(/[^\0-\x7f]/g, escaped) : text
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Slots of a passage as slots of its file. */
export function slotsInFile({ target, subpath, shown }: LinkSlots, passage: Passage): LinkSlots {
  return {
    target: slotInFile(target, passage),
    ...(subpath === undefined ? {} : { subpath: slotInFile(subpath, passage) }),
    shown: rangeInFile(shown, passage),
  }
}

function slotInFile(slot: TextSlot, passage: Passage): TextSlot {
  const write = (value: string): string | undefined => {
    const text = slot.write(value)
    return text === undefined ? undefined : passage.encode(text)
  }
  return { ...rangeInFile(slot, passage), write }
}

function rangeInFile({ start, end }: TextRange, passage: Passage): TextRange {
  return { start: passage.sourceOf(start), end: passage.sourceOf(end) }
}
