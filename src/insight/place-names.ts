import { singularOf, splitName } from './mentions.ts'
import { IS_CLOSED, type RecordSource, readWords } from './note-record.ts'

export interface WantedName {
  readonly names: readonly string[]
  readonly line: number
}

export interface PlacedName {
  readonly line: number
  /** The UTF-16 offsets in the text. */
  readonly start: number
  readonly end: number
}

interface Word extends PlacedName {
  readonly singular: string
}

/**
 * Finds names in a text. Positions near the given line come first, then those with the same case.
 * @returns `undefined` for names that the text does not contain
 */
export function placeNames(source: RecordSource, requested: readonly WantedName[]): readonly (PlacedName | undefined)[] {
  const words: Word[] = []
  const bySingular = new Map<string, number[]>()
  readWords(source, ({ line, start, end, form, flags }) => {
    const singular = (flags & IS_CLOSED) === 0 ? singularOf(form) : ''
    const list = bySingular.get(singular)
    if (list === undefined) bySingular.set(singular, [words.length])
    else list.push(words.length)
    words.push({ line, start, end, singular })
  })
  return requested.map(({ names, line }) => {
    const distance = (place: PlacedName): number => Math.abs(place.line - line)
    const places = names.flatMap((name) => {
      const singulars = splitName(name).map((form) => singularOf(form))
      const candidates = (bySingular.get(singulars[0] ?? ' ') ?? [])
        .flatMap((at) => placeAt(words, singulars, at) ?? [])
        .filter(({ start, end }) => !MARKUP.test(source.text.slice(start, end)))
        .map((place) => withOuterMarks(source.text, place, name))
        .filter(({ start, end }) => hasWholePairs(source.text.slice(start, end)))
      return candidates.map((place) => ({ ...place, isExact: source.text.slice(place.start, place.end) === name }))
    })
    const best = places.toSorted(
      (a, b) =>
        distance(a) - distance(b) ||
        b.end - b.start - (a.end - a.start) ||
        Number(b.isExact) - Number(a.isExact) ||
        a.start - b.start,
    )[0]
    return best === undefined ? undefined : { line: best.line, start: best.start, end: best.end }
  })
}

/** Matches characters around which a link would break the markup. */
const MARKUP = /[*~=`<>[\]|$\\]|(?:^|\s)_|_(?:\s|$)/

const PAIRED = /[\p{Ps}\p{Pe}"“”«»]/gu

/** Extends a name by balanced marks around it, such as the `)` of `GTD (method)`. */
function withOuterMarks(text: string, place: PlacedName, name: string): PlacedName {
  const marks = name.split(/[\p{L}\p{N}]+/u)
  const [before = '', after = ''] = [marks[0], marks.at(-1)?.replace(/[,;，；、]$/, '')]
  const [start, end] = [place.start - before.length, place.end + after.length]
  if (MARKUP.test(before + after) || !text.endsWith(before, place.start) || !text.startsWith(after, place.end)) return place
  const isPaired = pairedMarks(text.slice(start, end)) === pairedMarks(name)
  return isPaired ? { line: place.line, start, end } : place
}

function pairedMarks(text: string): string {
  return (text.match(PAIRED) ?? []).join('')
}

/** Returns true if brackets and quotation marks are in pairs. Languages differ in which mark opens. */
function hasWholePairs(text: string): boolean {
  const marks = pairedMarks(text)
  const unclosed = (marks.match(BRACKETS) ?? []).reduce(
    (open, mark) => (PAIRS.has(open.slice(-1) + mark) ? open.slice(0, -1) : open + mark),
    '',
  )
  return unclosed === '' && marks.replace(BRACKETS, '').length % 2 === 0 && !ENDS_QUOTATION.test(text)
}

const BRACKETS = /[(){}（）「」『』【】《》〈〉]/g
const PAIRS: ReadonlySet<string> = new Set(['()', '{}', '（）', '「」', '『』', '【】', '《》', '〈〉'])
/** Matches if the first quotation mark closes a quotation. */
const ENDS_QUOTATION = /^[^"“”«»]*[\p{L}\p{N}]["“”«»](?![\p{L}\p{N}])/u

function placeAt(words: readonly Word[], singulars: readonly string[], from: number): PlacedName | undefined {
  const first = words[from]
  const last = words[from + singulars.length - 1]
  if (first === undefined || last === undefined || last.line !== first.line) return undefined
  for (const [at, singular] of singulars.entries()) if (words[from + at]?.singular !== singular) return undefined
  return { line: first.line, start: first.start, end: last.end }
}
