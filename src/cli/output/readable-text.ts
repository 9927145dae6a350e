import { codeRanges } from './code-ranges.ts'
import type { MarkedText } from './marked-text.ts'

/**
 * What a person reads past in a line of Markdown: where links lead, tags of HTML, rules of tables, marks of bold. The groups `before` and
 * `after` go, what is between them stays.
 */
const NOISE: readonly RegExp[] = [
  /(?<before>!?\[)[^[\]]*(?<after>\]\([^()\s]*\))/dg,
  /(?<before>!?\[\[(?:[^[\]|]*\|)?)[^[\]|]+(?<after>\]\])/dg,
  /(?<before><\/?[a-z][^<>]*>)/dgi,
  /(?<before>\|(?:\s*:?-+:?\s*\|)+)/dg,
  /(?<before>\*\*)/dg,
]

/** The text as it would be read aloud, with its marks. Code stays as it is written, and so does what is left of a construct that was cut off. */
export function readableText(marked: MarkedText): MarkedText {
  // Twice, because a picture may be a link.
  return [...NOISE, ...NOISE.slice(0, 1)].reduce(withoutNoise, marked)
}

type Range = readonly [start: number, end: number]

function withoutNoise(marked: MarkedText, noise: RegExp): MarkedText {
  const code = codeRanges(marked.text)
  const isCode = (from: number, to: number): boolean => code.some(({ start, end }) => from < end && to > start)
  const ranges = [...marked.text.matchAll(noise)].flatMap(({ index, 0: match, indices }): readonly Range[] =>
    isCode(index, index + match.length)
      ? []
      : [indices?.groups?.before, indices?.groups?.after].filter((range) => range !== undefined),
  )
  return ranges.length === 0 ? marked : withoutRanges(marked, ranges)
}

/** Takes ranges out: ascending, without overlaps. A mark that lay in one of them goes with it. */
function withoutRanges({ text, marks }: MarkedText, ranges: readonly Range[]): MarkedText {
  const kept: string[] = []
  let at = 0
  for (const [start, end] of ranges) {
    kept.push(text.slice(at, start))
    at = end
  }
  kept.push(text.slice(at))
  const moved = (offset: number): number =>
    offset - ranges.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, offset) - start), 0)
  const left = marks.map(([start, end]): Range => [moved(start), moved(end)])
  return { text: kept.join(''), marks: left.filter(([start, end]) => end > start) }
}
