import { setImmediate } from 'node:timers/promises'
import type { TextRange } from '../core/text/link-slots.ts'
import { parseAnswer } from './answer-tree.ts'
import { type Block, type WriteCitation, writeCode, writePieces } from './answer-writer.ts'
import { applyEdits, codeLookup, type Edit, type Piece, textOf, type Wrap } from './pieces.ts'
import { NOT_FOUND } from './prompt.ts'
import { findQuotations, type Quotation } from './quotations.ts'
import { type CitedPassage, type Source, sourceOf } from './source.ts'
import { splitSentences, type Word, wordsIn } from './words-and-sentences.ts'

export interface Citation {
  /** The 1-based number of the citation, in order of appearance. */
  readonly n: number
  /** The 0-based index of the passage in the prompt. */
  readonly passage: number
  readonly startLine: number
  readonly endLine: number
  /** The verbatim text of these lines. */
  readonly quote: string
  /** `weak` means that the sentence shares no words with the passage, or has a number or negation that the passage lacks. */
  readonly support: 'ok' | 'weak'
}

export interface CitedSentence {
  readonly text: string
  readonly citations: readonly number[]
}

export interface CitedAnswer {
  readonly sentences: readonly CitedSentence[]
  readonly citations: readonly Citation[]
  readonly removed: { readonly citations: number; readonly links: number }
  readonly isCut: boolean
  /** True if the model wrote `NOT_FOUND`, or nothing at all. */
  readonly isNotFound: boolean
  write(link: WriteCitation): string
}

/** The minimum length of a quotation in words. Shorter quoted text is a name or a term. */
const MIN_QUOTED_WORDS = 3
/** Maximum length of a quotation, in UTF-16 code units. */
const MAX_QUOTED = 20_000
const MAX_TURN_MS = 20

export async function citeAnswer(answer: string, passages: readonly CitedPassage[]): Promise<CitedAnswer> {
  const tree = parseAnswer(answer)
  const reading = new AnswerReader(passages.map(sourceOf))
  let turn = performance.now()
  for (const block of tree.blocks) {
    if (block.kind === 'text') reading.readText(block)
    else reading.readCode(block)
    if (performance.now() - turn < MAX_TURN_MS) continue
    await setImmediate()
    turn = performance.now()
  }
  const { citations, sentences } = reading
  const text = tree.blocks.map((block) => (block.kind === 'text' ? textOf(block.pieces) : block.node.value)).join('\n')
  return {
    sentences,
    citations,
    removed: { citations: reading.removed + tree.forged, links: tree.removed },
    isCut: tree.isCut,
    isNotFound: citations.length === 0 && isRefusal(text),
    write: tree.write,
  }
}

function isRefusal(text: string): boolean {
  return text.trim() === '' || (/^\W*NOT[ _]FOUND\b/i.test(text) && text.length < 10 * NOT_FOUND.length)
}

interface Claim {
  readonly words: readonly Word[]
  readonly named: readonly number[]
  /** The matches of each quotation, by passage number. */
  readonly quotations: readonly ReadonlyMap<number, TextRange>[]
}

class AnswerReader {
  readonly citations: Citation[] = []
  readonly sentences: CitedSentence[] = []
  removed = 0
  readonly #sources: readonly Source[]
  readonly #numbers = new Map<string, number>()

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  readText(block: Extract<Block, { readonly kind: 'text' }>): void {
    const { pieces, isQuoted } = block
    const text = textOf(pieces)
    const spans = splitSentences(text, { isOpaque: codeLookup(pieces), endsHere: markerLookup(pieces, text.length) })
    const words = spans.map(({ start, end }) => wordsIn(text.slice(start, end)))
    const markers = markersBySentence(pieces, spans, words)
    const all = [...findQuotations(text, spans), ...(isQuoted ? [{ start: 0, end: text.length, quoted: text }] : [])]
    const quotations = this.#lookUp(all, spans, markers)
    const edits = spans.flatMap((span, at): readonly Edit[] => {
      const sentenceWords = words[at] ?? []
      if (sentenceWords.length === 0) return []
      const within = quotations.flatMap(({ start, end, places }) => (start < span.end && end > span.start ? [places] : []))
      const citations = this.#cite({ words: sentenceWords, named: markers[at] ?? [], quotations: within })
      this.sentences.push({ text: writePieces(slice(pieces, span)), citations })
      const end = span.start + text.slice(span.start, span.end).trimEnd().length
      const wraps = wrapsAt(pieces, end)
      return citations.map((n) => ({ start: end, end, by: { kind: 'citation', text: '', n, wraps } }))
    })
    block.pieces = applyEdits(pieces, edits)
  }

  readCode(block: Extract<Block, { readonly kind: 'code' }>): void {
    const { node, markers } = block
    const { value } = node
    const words = wordsIn(value)
    if (words.length === 0) {
      this.removed += markers.length
      return
    }
    const spans = [{ start: 0, end: value.length }]
    const quotations = this.#lookUp(findQuotations(value, splitSentences(value)), spans, [markers])
    block.citations = this.#cite({ words, named: markers, quotations: quotations.map(({ places }) => places) })
    this.sentences.push({ text: writeCode(node), citations: block.citations })
  }

  #lookUp(
    all: readonly Quotation[],
    sentences: readonly TextRange[],
    markers: readonly (readonly number[])[],
  ): readonly (TextRange & { readonly places: ReadonlyMap<number, TextRange> })[] {
    return all.flatMap(({ start, end, quoted }) => {
      const numbers = new Set(sentences.flatMap((span, at) => (span.start < end && span.end > start ? (markers[at] ?? []) : [])))
      if (numbers.size === 0) return []
      // Such a long text is not a real quotation.
      if (quoted.length > MAX_QUOTED) return [{ start, end, places: new Map() }]
      if (wordsIn(quoted).length < MIN_QUOTED_WORDS || this.#sources.some((source) => source.isNamed(quoted))) return []
      const places = [...numbers].flatMap((number): readonly [number, TextRange][] => {
        const place = this.#sources[number - 1]?.find(quoted)
        return place === undefined ? [] : [[number, place]]
      })
      return [{ start, end, places: new Map(places) }]
    })
  }

  /** Returns the passages to cite. They are cited only if each quotation occurs in one of them. */
  #cite({ words, named, quotations }: Claim): readonly number[] {
    const existing = [...new Set(named)].filter((number) => this.#sources[number - 1] !== undefined)
    const cited = quotations.some((places) => places.size === 0) ? [] : existing
    this.removed += new Set(named).size - cited.length
    return cited.map((number) => {
      const within = quotations.map((places) => places.get(number)).find((place) => place !== undefined)
      return this.#number(number - 1, { words, within })
    })
  }

  #number(
    passage: number,
    { words, within }: { readonly words: readonly Word[]; readonly within: TextRange | undefined },
  ): number {
    const source = this.#sources[passage]
    const { start, end } = source?.best(words, within) ?? { start: 0, end: 0 }
    const support = source?.supports(words) === true ? 'ok' : 'weak'
    const key = `${passage}:${start}:${end}:${support}`
    const number = this.#numbers.get(key)
    if (number !== undefined) return number
    const n = this.citations.length + 1
    this.#numbers.set(key, n)
    this.citations.push({ n, passage, support, ...(source?.quote({ start, end }) ?? { startLine: 0, endLine: 0, quote: '' }) })
    return n
  }
}

function markerLookup(pieces: readonly Piece[], length: number): (start: number, end: number) => boolean {
  const counts = new Uint32Array(length + 2)
  let at = 0
  for (const piece of pieces) {
    if (piece.kind === 'marker') counts[at + 1] = (counts[at + 1] ?? 0) + 1
    at += piece.text.length
  }
  for (let i = 1; i < counts.length; i++) counts[i] = (counts[i] ?? 0) + (counts[i - 1] ?? 0)
  return (start, end) => (counts[end + 1] ?? 0) > (counts[start] ?? 0)
}

/** Assigns markers to sentences. A marker cites the preceding text or, at the start of a line, the text of that line. */
function markersBySentence(
  pieces: readonly Piece[],
  sentences: readonly TextRange[],
  words: readonly (readonly Word[])[],
): readonly (readonly number[])[] {
  const markers: number[][] = sentences.map(() => [])
  const hasWords = (index: number): boolean => (words[index]?.length ?? 0) > 0
  let at = 0
  let index = 0
  for (const piece of pieces) {
    if (piece.kind !== 'marker') {
      at += piece.text.length
      continue
    }
    while (index < sentences.length - 1 && (sentences[index]?.end ?? 0) <= at) index++
    const begins = sentences[index]?.start === at
    let owner = begins && piece.place !== 'start' && index > 0 ? index - 1 : index
    while (owner > 0 && !hasWords(owner)) owner--
    if (!hasWords(owner)) owner = sentences.findIndex((_, index) => hasWords(index))
    markers[owner]?.push(...piece.numbers)
  }
  return markers
}

function slice(pieces: readonly Piece[], { start, end }: TextRange): readonly Piece[] {
  let at = 0
  return pieces.flatMap((piece): readonly Piece[] => {
    const from = at
    at += piece.text.length
    if (piece.kind === 'marker' || piece.kind === 'citation' || at <= start || from >= end) return []
    return [{ ...piece, text: piece.text.slice(Math.max(0, start - from), end - from) }]
  })
}

function wrapsAt(pieces: readonly Piece[], offset: number): readonly Wrap[] {
  let at = 0
  let before: readonly Wrap[] = []
  for (const piece of pieces) {
    if (piece.kind === 'marker' || piece.kind === 'citation') continue
    if (at < offset && offset < at + piece.text.length) return piece.wraps
    if (at >= offset) return piece.wraps.filter((wrap) => before.includes(wrap))
    before = piece.wraps
    at += piece.text.length
  }
  return []
}
