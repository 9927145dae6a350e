import type { Segment } from './segment.ts'

/** The documents of all segments in one row; a document's slot is its ordinal behind the documents of earlier segments. */
export interface Slots {
  readonly size: number
  readonly segments: readonly Segment[]
  /** The first slot of each segment. */
  readonly bases: readonly number[]
  readonly keys: Uint32Array
  readonly titleLengths: Uint32Array
  readonly bodyLengths: Uint32Array
}

export function layOut(segments: readonly Segment[]): Slots {
  let size = 0
  const bases = segments.map(({ live }) => {
    size += live.length
    return size - live.length
  })
  const slots = {
    size,
    segments,
    bases,
    keys: new Uint32Array(size),
    titleLengths: new Uint32Array(size),
    bodyLengths: new Uint32Array(size),
  }
  segments.forEach(({ header }, at) => {
    const base = bases[at] as number
    slots.keys.set(header.keys, base)
    slots.titleLengths.set(header.titleLengths, base)
    slots.bodyLengths.set(header.bodyLengths, base)
  })
  return slots
}
