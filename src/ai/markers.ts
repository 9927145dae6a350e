import type { TextRange } from '../core/text/link-slots.ts'
import { narrow } from './neutralize.ts'
import { applyEdits, codeLookup, type Edit, type MarkerPlace, type Piece, removal, textOf } from './pieces.ts'

/** A marker such as `[S1]`, or a forged citation such as `[1]`. */
interface FoundMarker extends TextRange {
  /** The numbers of the cited passages. They are omitted for a forged citation. */
  readonly numbers?: readonly number[]
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '【': '】', '〔': '〕', '〖': '〗', '⟦': '⟧', '(': ')' }
/** Maximum marker length, in UTF-16 code units. */
const MAX_LENGTH = 120
const MAX_NUMBERS = 24
/** Matches characters around a number that a reader may overlook. */
const MARKUP = /[\s*_^`\\]/
const SUPERSCRIPT = /[⁰¹²³⁴-⁹]/
const CIRCLED = /[①-⑳⓫-⓴⓵-⓾❶-❿➀-➓]/
const ENDS = /[.,;:!?…。！？)\]"'”’»]/

/** Turns markers into pieces of their own, and removes forged citations. */
export function takeMarkers(pieces: readonly Piece[]): { readonly pieces: readonly Piece[]; readonly forged: number } {
  const text = textOf(pieces)
  const isCode = codeLookup(pieces)
  const markers = findMarkers(text, isCode)
  if (markers.length === 0) return { pieces, forged: 0 }
  const edits = grouped(text, markers).map((group): Edit => {
    const [start = 0, end = 0] = [group.at(0)?.start, group.at(-1)?.end]
    const edit = removal(text, withParentheses(text, { start, end }))
    const numbered = group.filter(({ numbers }) => numbers !== undefined)
    if (numbered.length === 0) return edit
    const numbers = numbered.flatMap((marker) => marker.numbers ?? [])
    return { ...edit, by: { kind: 'marker', text: '', numbers, place: placeOf(text, { start, end }) } }
  })
  return { pieces: spaced(applyEdits(pieces, edits)), forged: markers.filter(({ numbers }) => numbers === undefined).length }
}

function grouped(text: string, markers: readonly FoundMarker[]): readonly (readonly FoundMarker[])[] {
  const groups: FoundMarker[][] = []
  let end = -1
  for (const marker of markers) {
    const between = text.slice(end, marker.start)
    if (end >= 0 && between.length < 8 && /^[ ,;&]*$/.test(between)) groups.at(-1)?.push(marker)
    else groups.push([marker])
    end = marker.end
  }
  return groups
}

export function markerIn(code: string): readonly number[] | undefined {
  const text = code.trim()
  const [marker] = findMarkers(text, () => false)
  return marker?.start === 0 && marker.end === text.length ? marker.numbers : undefined
}

function withParentheses(text: string, { start, end }: TextRange): TextRange {
  return text.charAt(start - 1) === '(' && text.charAt(end) === ')' ? { start: start - 1, end: end + 1 } : { start, end }
}

function spaced(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap((piece, at): readonly Piece[] => {
    if (piece.kind !== 'marker') return [piece]
    const before = pieces[at - 1]?.text.at(-1) ?? ''
    const after =
      pieces
        .slice(at + 1, at + 1 + MAX_NUMBERS)
        .find(({ text }) => text !== '')
        ?.text.at(0) ?? ''
    const joins = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)
    return joins ? [piece, { kind: 'text', text: ' ', wraps: [] }] : [piece]
  })
}

function findMarkers(text: string, isCode: (start: number, end: number) => boolean): readonly FoundMarker[] {
  const markers: FoundMarker[] = []
  for (let at = 0; at < text.length; at++) {
    if (isCode(at, at + 1)) continue
    const marker = bracketAt(text, at) ?? signAt(text, at)
    if (marker === undefined) continue
    markers.push(marker)
    at = marker.end - 1
  }
  return markers
}

function bracketAt(text: string, start: number): FoundMarker | undefined {
  const open = narrow(text.charAt(start))
  const close = CLOSING[open]
  if (close === undefined) return undefined
  let end = start + 1
  while (end < text.length && end - start <= MAX_LENGTH && narrow(text.charAt(end)) !== close) {
    if (text.charAt(end) === '\n' || CLOSING[narrow(text.charAt(end))] !== undefined) return undefined
    end++
  }
  if (end >= text.length || end - start > MAX_LENGTH) return undefined
  const inside = narrow(text.slice(start + 1, end))
  const read = numbersIn(inside)
  if (read === undefined || (open === '(' && !read.isMarker)) return undefined
  return { start, end: end + 1, ...(read.isMarker ? { numbers: read.numbers } : {}) }
}

/** Parses `S1, S2`, `S1–S3`, `1, 2` or `4:0†source`. */
function numbersIn(inside: string): { readonly numbers: readonly number[]; readonly isMarker: boolean } | undefined {
  const characters = [...inside].filter((character) => !MARKUP.test(character)).join('')
  const [list = ''] = /^(?:s?\d{1,6}(?:(?:and|&|[,;:–—-])?(?=s?\d))?)+/i.exec(characters) ?? []
  const rest = characters.slice(list.length)
  const isMarker = /s\d/i.test(list)
  if (list === '' || (isMarker ? !/^(?:$|[^\p{L}\p{N}])/u.test(rest) : !/^[.,]?(?:†.*)?$/.test(rest))) return undefined
  const numbers: number[] = []
  for (const [, range, digits = ''] of list.matchAll(/([–—-])?(?:and|[&,;:])?s?(\d+)/gi)) {
    const number = Number(digits)
    const last = numbers.at(-1)
    if (range !== undefined && last !== undefined && isMarker) {
      for (let next = last + 1; next < number && next - last < MAX_NUMBERS; next++) numbers.push(next)
    }
    numbers.push(number)
  }
  // A number such as `[2024]` is a year, and `[0]` is an index, so neither is a citation.
  if (!isMarker && numbers.some((number) => number > 999 || (number === 0 && numbers.length === 1))) return undefined
  return { numbers: numbers.slice(0, MAX_NUMBERS), isMarker }
}

/** Parses a superscript or circled number after a word, except in `m²` and `step ①`. */
function signAt(text: string, start: number): FoundMarker | undefined {
  const kind = [SUPERSCRIPT, CIRCLED].find((pattern) => pattern.test(text.charAt(start)))
  if (kind === undefined) return undefined
  let end = start + 1
  while (
    end < text.length &&
    (kind.test(text.charAt(end)) || (/[,⁻˒]/.test(text.charAt(end)) && kind.test(text.charAt(end + 1))))
  )
    end++
  const before = text.slice(Math.max(0, start - 24), start)
  if (before.trim() === '' || before.slice(before.trimEnd().length).includes('\n')) return undefined
  const endsSentence = ENDS.test(before.trimEnd().at(-1) ?? '')
  const followsWord = kind === SUPERSCRIPT ? /\p{L}{4}$/u.test(before) : /\S$/.test(before)
  const isLast =
    kind === CIRCLED &&
    ENDS.test(
      text
        .slice(end, end + 2)
        .trimStart()
        .at(0) ?? '.',
    )
  return endsSentence || followsWord || isLast ? { start, end } : undefined
}

function placeOf(text: string, { start, end }: TextRange): MarkerPlace {
  const before = text.slice(Math.max(0, start - MAX_DISTANCE), start)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (line.length === MAX_DISTANCE || !isOnlyMarkers(line)) return 'after'
  const [after = ''] = text.slice(end, end + MAX_DISTANCE).split('\n', 1)
  return isOnlyMarkers(after) ? 'alone' : 'start'
}

/** The range to search on the line, in UTF-16 code units. */
const MAX_DISTANCE = 400

function isOnlyMarkers(part: string): boolean {
  for (let at = 0; at < part.length; at++) {
    if (/[\s.,;&`*_]/.test(part.charAt(at))) continue
    const marker = bracketAt(part, at)
    if (marker === undefined) return false
    at = marker.end - 1
  }
  return true
}
