import { codeIn } from '../markdown/code.ts'
import { cleanAnswer } from './clean-answer.ts'
import { NOT_FOUND } from './prompt.ts'
import { findQuote, type QuotedText, quotedText } from './verify-quote.ts'
import { readable, type Word, wordsIn } from './words.ts'

/** What a passage of a model's prompt says, as `[S1]` of the answer means the first. */
export interface CitedPassage {
  readonly startLine: number
  readonly text: string
}

/** A sentence of a passage that an answer rests on. */
export interface Citation {
  /** Its number in the answer, from 1. */
  readonly n: number
  /** The passage's place among those that were shown, from 0. */
  readonly passage: number
  readonly startLine: number
  readonly endLine: number
  /** As it stands in these lines. */
  readonly quote: string
  /** `weak`: the sentence of the answer has a number or a negation that the passage lacks, or shares no word with it. */
  readonly support: 'ok' | 'weak'
}

/** A part of the answer, in order: a text, and the numbers of the citations behind it. */
export interface AnswerPart {
  readonly text: string
  readonly citations: readonly number[]
  /** Of fenced code, behind which nothing can stand: what the line of its citations begins with. */
  readonly nextLine?: string
}

/** An answer of which every citation was looked up. */
export interface CitedAnswer {
  readonly parts: readonly AnswerPart[]
  readonly citations: readonly Citation[]
  /** Sentences that no passage was named for, or that quote what stands in none. */
  readonly uncited: readonly string[]
  readonly removed: { readonly citations: number; readonly links: number }
  /** The model says that the passages do not answer. */
  readonly isNotFound: boolean
}

/** `[S1]`, `[S1, S2]`, as models write them. */
const MARKER = '[[【]\\s*S\\s?\\d+(?:\\s*(?:[,;&]|and)?\\s*S?\\s?\\d+)*\\s*[\\]】]'
/** Code within a line, from its first mark to its last. */
const CODE = '(?<!`)(?<ticks>`+)(?!`)[^\\n]*?(?<!`)\\k<ticks>(?!`)'
/** A sentence with the markers behind it; the number of an item belongs to the item. */
const SENTENCE = new RegExp(
  `(?:^[ \\t>]*\\d{1,9}[.)][ \\t]+)?(?:${CODE}|[^\\n])*?(?:[.!?…](?=["'”’»)\\]*_]*(?:\\s|$))["'”’»)\\]*_]*|[。！？]["'”’」』]*|$)(?:\\s*\`?[[【]\\s*S\\s?\\d[^\\]】\\n]{0,60}[\\]】]\`?)*[ \\t]*`,
  'gim',
)
/** Markers, also where one is written as code; and code, which has none. */
const MARKERS = new RegExp(`(?<!\`)\`${MARKER}\`(?!\`)|${CODE}|${MARKER}`, 'gi')
/** The spaces that markers leave; and code, which keeps its own. */
const SPACES = new RegExp(`${CODE}|[ \\t]+(?=[.,;:!?…])|(?<=\\S[ \\t])[ \\t]+`, 'g')
/** A line of nothing but markers. */
const MARKERS_ALONE = /^\n[ \t>]*(?:[[【]\s?S\s?\d[^\]】\n]{0,60}[\]】][ \t.]*)+(?=\n|$)/i
/** What readers would take for a citation of ours: `[1]`, `[^2]`, `[1, 3]`, `[S1–S3]`; and code, which has none. */
const FORGED = new RegExp(
  `(?<!\\\\)${CODE}|[ \\t]*(?!${MARKER})\\\\?[[【［〔〖⟦][\\s*_^\`]{0,4}S?\\s?0?[1-9]\\d{0,2}(?:\\s?[,;:&–—-]\\s?S?\\d{1,3}){0,20}(?:†[^\\]】］\\n]{0,60})?[\\s*_^\`.]{0,4}\\\\?[\\]】］〕〗⟧]`,
  'gi',
)
/** What taking one away makes of what stood around it is taken away, too; what nests deeper loses its brackets. */
const MOST_ROUNDS = 10
/** A line that goes on in the next one. */
const GOES_ON = '\\n(?![ \\t>]*(?:\\n|$|[-*+] |\\d{1,9}[.)] |#{1,6} |\\|))'
/** What stands in quotation marks, of each kind, and in two that are no pair. */
const QUOTATIONS: readonly RegExp[] = [
  new RegExp(`(?<![\\p{L}\\p{N}])"((?:[^"\\n]|${GOES_ON})+)"`, 'gu'),
  // These open either way; a single one between spaces parts the names of a way, as in `Settings › Editor`.
  new RegExp(`[«»]((?:[^«»\\n]|${GOES_ON})+)[«»]`, 'gu'),
  new RegExp(`[‹›](?=\\S)((?:[^‹›\\n]|${GOES_ON})+)(?<=\\S)[‹›]`, 'gu'),
  ...['“”', '„“”', '「」', '『』'].map(
    ([open, ...close]) => new RegExp(`${open}((?:[^${open}${close.join('')}\\n]|${GOES_ON})+)[${close.join('')}]`, 'gu'),
  ),
  ...["''", '‘’', '‚‘’'].map(([open, ...close]) => {
    const marks = close.join('')
    const apostrophe = "(?<=[\\p{L}\\p{N}])['’](?=[\\p{L}\\p{N}])"
    const inside = `(?:[^${open}${marks}\\n]|${apostrophe}|${GOES_ON})`
    return new RegExp(`(?<![\\p{L}\\p{N}])${open}(?=\\S)(${inside}+)[${marks}](?![\\p{L}\\p{N}])`, 'gu')
  }),
  /(?:(?<![\p{L}\p{N}])"|[“„«»])([^"“”„«»\n]+)["”“»«]/gu,
]
/** Of a word or two that is no quotation. */
const LEAST_QUOTED_WORDS = 3

/** Reads what a model answered; nothing but what it says about these passages is believed. */
export function citeAnswer(answer: string, passages: readonly CitedPassage[]): CitedAnswer {
  const { text, removed: links } = cleanAnswer(answer)
  const sources = passages.map(({ text: own, startLine }) => new Source(own, startLine))
  const reading = new Reading(sources)
  const units = unitsOf(text).map((unit) => (unit.kind === 'fenced' ? unit : { ...unit, text: reading.withoutForged(unit.text) }))
  const wrong = reading.falseIn(units.map((unit) => (unit.kind === 'fenced' ? '' : unit.text)).join('\n'))
  let start = 0
  const parts = units.flatMap((unit, at): readonly AnswerPart[] => {
    const before = at === 0 ? [] : [{ text: '\n', citations: [] }]
    if (unit.kind === 'fenced') {
      start++
      return [...before, reading.readFenced(unit)]
    }
    const read = reading.readLine(unit.text, { start, wrong })
    start += unit.text.length + 1
    return [...before, ...read]
  })
  const isNotFound = reading.citations.length === 0 && /^\W*NOT[ _]FOUND\b/i.test(text) && text.length < 10 * NOT_FOUND.length
  return {
    parts,
    citations: reading.citations,
    uncited: reading.uncited,
    removed: { citations: reading.removed, links },
    isNotFound,
  }
}

/** The answer as a text, its citations as `link` writes them. */
export function renderAnswer(parts: readonly AnswerPart[], link: (n: number) => string): string {
  return parts
    .map(({ text, citations, nextLine }) => {
      const end = text.length - (/\s*$/.exec(text)?.[0].length ?? 0)
      if (nextLine !== undefined && citations.length > 0) return `${text}\n${nextLine}${citations.map(link).join(' ')}`
      return citations.length === 0 ? text : `${text.slice(0, end)} ${citations.map(link).join(' ')}${text.slice(end)}`
    })
    .join('')
    .trim()
}

/** A line of an answer; or fenced code, with the lines of markers behind it. */
interface Unit {
  readonly kind: 'line' | 'fenced'
  readonly text: string
  /** What stands before the fence on its lines: marks of quotes, and space. */
  readonly prefix: string
  readonly markers: string
}

function unitsOf(text: string): readonly Unit[] {
  const units: Unit[] = []
  const lines = (from: number, to: number): readonly Unit[] =>
    from > to
      ? []
      : text
          .slice(from, to)
          .split('\n')
          .map((line) => ({ kind: 'line', text: line, prefix: '', markers: '' }))
  let from = 0
  for (const { kind, start, end } of codeIn(text)) {
    if (kind !== 'fenced') continue
    const first = text.lastIndexOf('\n', start - 1) + 1
    units.push(...lines(from, first - 1))
    const [markers = ''] = MARKERS_ALONE.exec(text.slice(end)) ?? []
    const prefix = text.slice(first, start).replace(/[^\s>]/g, ' ')
    units.push({ kind: 'fenced', text: text.slice(first, end), prefix, markers })
    from = end + markers.length + 1
  }
  return [...units, ...lines(from, text.length)]
}

class Reading {
  readonly citations: Citation[] = []
  readonly uncited: string[] = []
  removed = 0
  readonly #sources: readonly Source[]
  readonly #numbers = new Map<string, number>()

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  /** A line without numbers that the model wrote as if they were citations: those are ours to give. */
  withoutForged(line: string): string {
    let left = line
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = left
      left = before.replace(FORGED, (found: string, ticks: string | undefined) => {
        if (ticks !== undefined) return found
        this.removed++
        return ''
      })
      if (left === before) return left
    }
    return left.replace(/[[\]]/g, '')
  }

  /** The sentences of a line that begins at `start`. A quotation may be longer than a sentence: where it is false, all that it is part of is. */
  readLine(
    line: string,
    { start, wrong }: { readonly start: number; readonly wrong: readonly Stretch[] },
  ): readonly AnswerPart[] {
    return [...line.matchAll(SENTENCE)].flatMap(({ 0: sentence, index }) => {
      if (sentence === '') return []
      const text = sentence.replace(MARKERS, unlessCode).replace(SPACES, unlessCode)
      const from = start + index
      const isFalse = wrong.some((one) => one.start < from + sentence.length && one.end > from)
      const citations = this.#citationsOf(text, { named: numbersIn(sentence), isFalse })
      return [{ text: text.trim() === '' ? '' : text, citations }]
    })
  }

  readFenced({ text, markers, prefix }: Unit): AnswerPart {
    const citations = this.#citationsOf(text, { named: numbersIn(markers), isFalse: this.falseIn(text).length > 0 })
    return { text, citations, nextLine: prefix }
  }

  /** Where a text quotes what stands in no passage. */
  falseIn(text: string): readonly Stretch[] {
    const plain = text.replace(MARKERS, (found, ticks) => (ticks === undefined ? ' '.repeat(found.length) : found))
    return quotationsIn(plain).filter(({ quoted }) => !this.#sources.some((source) => source.holds(quoted)))
  }

  /** The citations of a text by the passages that the model named for it. */
  #citationsOf(text: string, { named, isFalse }: Named): readonly number[] {
    const words = wordsIn(text)
    if (words.length === 0) {
      this.removed += named.length
      return []
    }
    const known = [...new Set(named)].filter((number) => this.#sources[number - 1] !== undefined)
    const cited = isFalse ? [] : known
    this.removed += new Set(named).size - cited.length
    if (cited.length === 0) this.uncited.push(text.trim())
    return cited.map((number) => this.#cite(number - 1, words))
  }

  #cite(passage: number, words: readonly Word[]): number {
    const source = this.#sources[passage]
    const { start, end } = source?.best(words) ?? { start: 0, end: 0 }
    const support = source?.supports(words) === true ? 'ok' : 'weak'
    const key = `${passage}:${start}:${end}:${support}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const n = this.citations.length + 1
    this.#numbers.set(key, n)
    this.citations.push({ n, passage, support, ...(source?.quote(start, end) ?? { startLine: 0, endLine: 0, quote: '' }) })
    return n
  }
}

function unlessCode(found: string, ticks: string | undefined): string {
  return ticks === undefined ? '' : found
}

/** The numbers of the passages that markers name. */
function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(MARKERS)].flatMap(([marker, ticks]) =>
    ticks === undefined ? [...marker.matchAll(/\d+/g)].map(([number]) => Number(number)) : [],
  )
}

interface Stretch {
  readonly start: number
  readonly end: number
}

/** What a model named for a text, and whether the text quotes what stands nowhere. */
interface Named {
  readonly named: readonly number[]
  readonly isFalse: boolean
}

function quotationsIn(text: string): readonly (Stretch & { readonly quoted: string })[] {
  return QUOTATIONS.flatMap((marks) =>
    [...text.matchAll(marks)].flatMap(({ 0: whole, 1: quoted = '', index }) =>
      wordsIn(quoted).length >= LEAST_QUOTED_WORDS ? [{ quoted, start: index, end: index + whole.length }] : [],
    ),
  )
}

/** What a citation shows of a long sentence, UTF-16. */
const MOST_QUOTED = 400

/** A passage, read once for all citations of it. */
class Source {
  readonly #text: string
  readonly #startLine: number
  #words: ReadonlySet<string> | undefined
  #hasNegation = false
  #sentences: readonly (Stretch & { readonly stems: ReadonlySet<string> })[] | undefined
  #quoted: QuotedText | undefined

  constructor(text: string, startLine: number) {
    this.#text = text
    this.#startLine = startLine
  }

  holds(quotation: string): boolean {
    this.#quoted ??= quotedText(this.#text)
    return findQuote(quotation, this.#quoted) !== undefined
  }

  supports(words: readonly Word[]): boolean {
    if (this.#words === undefined) {
      const own = wordsIn(this.#text)
      this.#words = new Set(own.flatMap(({ text }) => [text, stem(text)]))
      this.#hasNegation = own.some(({ kind }) => kind === 'negation')
    }
    const all = this.#words
    if (words.some(({ kind, text }) => kind === 'number' && !all.has(text))) return false
    if (!this.#hasNegation && words.some(({ kind }) => kind === 'negation')) return false
    return words.some(({ text }) => text.length > 3 && all.has(stem(text)))
  }

  /** The sentence that shares most with these words; of equal ones the first. */
  best(words: readonly Word[]): Stretch {
    this.#sentences ??= sentencesOf(this.#text).map((stretch) => ({
      ...stretch,
      stems: new Set(wordsIn(readable(this.#text.slice(stretch.start, stretch.end))).map(({ text }) => stem(text))),
    }))
    const wanted = new Set(words.map(({ text }) => stem(text)))
    let best: Stretch = { start: 0, end: Math.min(this.#text.length, MOST_QUOTED) }
    let highest = -1
    for (const { start, end, stems } of this.#sentences) {
      let shared = 0
      for (const one of stems) if (wanted.has(one)) shared += one.length > 3 ? 1 : 0.1
      const score = shared / Math.sqrt(4 + stems.size)
      if (score > highest) {
        highest = score
        best = { start, end }
      }
    }
    return best
  }

  quote(start: number, end: number): Pick<Citation, 'startLine' | 'endLine' | 'quote'> {
    const line = this.#startLine + countLines(this.#text.slice(0, start))
    const quote = this.#text.slice(start, end)
    return { startLine: line, endLine: line + countLines(quote), quote }
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

/** Endings differ where words are the same. */
function stem(word: string): string {
  return word.length > 6 ? word.slice(0, 6) : word.length > 4 ? word.slice(0, -1) : word
}

/** The sentences of a text: each within a paragraph, an item, a heading or a row, without white space around it. */
function sentencesOf(text: string): readonly Stretch[] {
  const stretches: Stretch[] = []
  const add = (start: number, end: number): void => {
    const [lead = ''] = /^\s*/.exec(text.slice(start, end)) ?? []
    const from = start + lead.length
    let to = start + text.slice(start, end).trimEnd().length
    if (to - from > MOST_QUOTED) {
      const cut = text.lastIndexOf(' ', from + MOST_QUOTED)
      to = cut > from ? cut : wholeCharacter(text, from + MOST_QUOTED)
    }
    if (to > from) stretches.push({ start: from, end: to })
  }
  for (const { 0: block, index } of text.matchAll(BLOCK)) {
    let from = 0
    for (const { 0: mark, index: at } of block.matchAll(/[.!?…]["'”’)\]*_]*(?=\s+[^\p{Ll}\s])|[。！？]/gu)) {
      add(index + from, index + at + mark.length)
      from = at + mark.length
    }
    add(index + from, index + block.length)
  }
  return stretches
}

/** Lines that belong together: until an empty one, or one that begins an item, a heading, a row or a fence. */
const BLOCK = /[^\n]+(?:\n(?![ \t>]*(?:\n|$|[-*+] |\d{1,9}[.)] |#{1,6} |\||```|~~~|---))[^\n]+)*/g

function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at
}
