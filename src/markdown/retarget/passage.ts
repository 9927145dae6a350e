import type { LinkSlots, TextRange, TextSlot } from '../../core/text/link-slots.ts'

/** Markdown that a file holds in a notation of its own: in a JSON string, in a YAML scalar. */
export interface Passage {
  /** The Markdown. */
  readonly text: string
  /** The file's offset of an offset of `text`. */
  sourceOf(offset: number): number
  /** The offset of `text` that stands at one of the file. */
  offsetOf(source: number): number
  /** How the file writes a stretch of `text`. */
  encode(text: string): string
}

/** A passage that is written as it is read, but for what `encode` does. */
export function literalPassage(text: string, encode: Passage['encode'] = same): Passage {
  return { text, sourceOf: same, offsetOf: same, encode }
}

function same<T>(value: T): T {
  return value
}

/** A passage whose characters take varying room; `sources[i]` is where character `i` stands, the last where the text ends. */
export function mappedPassage(text: string, sources: Uint32Array, encode: Passage['encode']): Passage {
  const sourceOf = (offset: number): number => sources[offset] ?? 0
  const offsetOf = (source: number): number => {
    let low = 0
    let high = text.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (sourceOf(middle) < source) low = middle + 1
      else high = middle
    }
    return low
  }
  return { text, sourceOf, offsetOf, encode }
}

/** Slots of a passage as slots of its file. */
export function slotsInFile(slots: LinkSlots, passage: Passage): LinkSlots {
  const { target, subpath, shown } = slots
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
