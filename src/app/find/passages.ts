import type { Heading } from '../../core/note.ts'
import type { ChunkPlace, NoteChunks } from '../../core/search.ts'
import type { Node } from '../../core/store.ts'
import { lineNumber, startOfLineNumber } from '../../core/text/line-number.ts'
import type { NoteText } from '../../core/texts.ts'
import { dotProduct } from '../../core/vectors.ts'
import { chunkNote, headingPathAt } from '../../search/chunks.ts'
import type { Certainty } from '../../search/fusion.ts'
import { foldLetters } from '../../search/words/fold-word.ts'
import { type Match, matchFinder, type SnippetQuery, weightOf } from '../../search/words/matches.ts'
import { idOf, queryTerms } from '../../search/words/query-terms.ts'
import { beginningOf } from '../../search/words/stem.ts'
import { TOKEN_BYTES } from '../answer/budget.ts'
import { roundScore } from '../answer/node-response.ts'
import { passageText, type ReadChunk, readChunk } from './passage-text.ts'

export interface Passage {
  readonly heading: readonly string[]
  /** The 1-based number of the first line of `text` in the file. `end_line` is the number of its last line. */
  readonly start_line: number
  readonly end_line: number
  readonly text: string
  /** The score, from 0 to 1. */
  readonly score: number
}

export interface PassageQuery {
  readonly words: SnippetQuery
  /** The stored chunks of the note. If omitted, the note is split again. */
  readonly stored?: NoteChunks | undefined
  /** The semantic criteria. They are omitted for a keyword search. */
  readonly meaning?: Meaning | undefined
  readonly length?: number
  /** True if words of the title and headings also count as matches. */
  readonly isNamed?: boolean
}

export interface Meaning {
  readonly question: Float32Array
  readonly certainty: Certainty
  /** The weight of the semantic score relative to words, 0–1. */
  readonly weight: number
}

const MAX_PASSAGES = 3
/** Maximum passage length in characters. */
const MAX_CHARACTERS = 1_600
const DEFAULT_CHARACTERS = 500
const MIN_CHARACTERS = 160
/** A result typically has this size in a vault of a few thousand notes. */
const RESULT_BYTES = 170
const PASSAGE_BYTES = 110
const PASSAGES_SHARE = 0.67
/** Minimum score, relative to the best passage. */
const MIN_SCORE_SHARE = 0.6

const MAX_CHUNKS_READ = 8

interface Candidate {
  readonly place: ChunkPlace
  readonly meaning: number
}

/** The first results get longer passages, because they usually contain the answer. */
export function passageLengths(maxTokens: number | undefined, results: number): (at: number) => number {
  if (maxTokens === undefined || results === 0) return () => DEFAULT_CHARACTERS
  const spare = PASSAGES_SHARE * maxTokens * TOKEN_BYTES - results * (RESULT_BYTES + PASSAGE_BYTES + MIN_CHARACTERS)
  const first = within(spare / Math.min(results, FAVORED_RESULTS))
  const rest = within((spare - FAVORED_RESULTS * (first - MIN_CHARACTERS)) / Math.max(1, results - FAVORED_RESULTS))
  return (at) => (at < FAVORED_RESULTS ? first : rest)
}

const FAVORED_RESULTS = 3

function within(more: number): number {
  return Math.max(MIN_CHARACTERS, Math.min(MAX_CHARACTERS, Math.floor(MIN_CHARACTERS + more)))
}

export function mostPassages(maxTokens: number): number {
  return Math.ceil((maxTokens * TOKEN_BYTES) / MIN_CHARACTERS)
}

/** A place that answers a question. Its `score` is the share of the question that the text covers, 0–1. */
export interface AnsweringPlace {
  readonly place: ChunkPlace
  readonly chunk: ReadChunk
  readonly score: number
  readonly isAsked?: true
}

/** Returns up to three passages, best first, or the beginning of the note if no passage matches. */
export function passagesOf(node: Node, source: NoteText, query: PassageQuery): readonly Passage[] {
  const { words, length } = query
  return placesOf(node, source, query).map((each) => toPassage(node, source.text, { ...each, words, length }))
}

export function placesOf(node: Node, source: NoteText, query: PassageQuery): readonly AnsweringPlace[] {
  const stored = ofThisState(source, query.stored)
  const meaning = stored === undefined ? undefined : query.meaning
  const candidates = stored === undefined ? inOrder(node, source) : byMeaning(stored, meaning)
  const weight = meaning?.weight ?? 0
  const find = matchFinder(query.words)
  const share = shareFor(query.words)
  const isNamed = query.isNamed === true
  const askingPlaces = askedPlaces(node, source, query.words)
  let best: readonly AnsweringPlace[] = askingPlaces.slice(0, MAX_PASSAGES).map((place) => {
    return { place, chunk: readChunk(source.text.slice(place.start, place.end), find), score: 1, isAsked: true }
  })
  const isTaken = ({ start, end }: ChunkPlace): boolean => askingPlaces.some((place) => start < place.end && end > place.start)
  for (const { candidate, maxScore } of likeliest(candidates, source.text, { words: query.words, weight })) {
    const { place, meaning: certainty } = candidate
    if (isTaken(place)) continue
    const text = source.text.slice(place.start, place.end)
    // The upper bound `maxScore` does not include titles and headings.
    if (!isNamed && maxScore < minScoreOf(best) - ROUNDING_ERROR && !ABBREVIATION.test(text)) continue
    const chunk = readChunk(text, find)
    const matches = isNamed ? [...chunk.matches, ...find(namesOf(node, place))] : chunk.matches
    const score = (1 - weight) * share(matches) + weight * certainty
    best = [...best, { place, chunk, score }].sort((a, b) => b.score - a.score || a.place.start - b.place.start)
    best = best.slice(0, MAX_PASSAGES)
  }
  const minScore = minScoreOf(best)
  return best.filter(({ score }, at) => at === 0 || (score > 0 && score >= minScore))
}

function minScoreOf(best: readonly AnsweringPlace[]): number {
  return Math.max((best[0]?.score ?? 0) * MIN_SCORE_SHARE, best[MAX_PASSAGES - 1]?.score ?? 0)
}

/** The sum of floating-point numbers depends on their order, so scores are compared with a tolerance. */
const ROUNDING_ERROR = 1e-9
/** `U.S.A.` may be indexed as one word, so a text search does not find it. */
const ABBREVIATION = /(?<![a-z0-9])[a-z]\.[a-z](?![a-z0-9])/i

function namesOf({ title, headings }: Node, { startLine }: ChunkPlace): string {
  return [title, ...headingPathAt(headings, startLine)].join('\n')
}

export function chunksOf(node: Node, source: NoteText, stored: NoteChunks | undefined): readonly ChunkPlace[] {
  return ofThisState(source, stored)?.chunks ?? inOrder(node, source).map(({ place }) => place)
}

function ofThisState({ hash }: NoteText, stored: NoteChunks | undefined): NoteChunks | undefined {
  return stored !== undefined && hash.startsWith(stored.content) ? stored : undefined
}

function byMeaning({ chunks }: NoteChunks, meaning: Meaning | undefined): readonly Candidate[] {
  if (meaning === undefined) return chunks.map((place) => ({ place, meaning: 0 }))
  const { question, certainty } = meaning
  const certaintyOf = (vector: Float32Array): number => {
    const cosine = dotProduct(vector, question)
    return Math.max(0, Math.min(1, (cosine - certainty.low) / (certainty.high - certainty.low)))
  }
  const candidates = chunks.map((place) => ({ place, meaning: certaintyOf(place.vector) }))
  return candidates.sort((a, b) => b.meaning - a.meaning || a.place.start - b.place.start)
}

function inOrder(node: Node, { text, bodyStart }: NoteText): readonly Candidate[] {
  const chunks = chunkNote({ title: node.title, text, bodyStart, headings: node.headings })
  return chunks.map((place) => ({ place, meaning: 0 }))
}

interface RatedCandidate {
  readonly candidate: Candidate
  readonly maxScore: number
}

/** Ranks chunks by an upper bound of their scores, which is faster than computing the scores. */
function likeliest(
  candidates: readonly Candidate[],
  text: string,
  { words, weight }: { readonly words: SnippetQuery; readonly weight: number },
): readonly RatedCandidate[] {
  if (candidates.length <= MAX_PASSAGES) return candidates.map((candidate) => ({ candidate, maxScore: Number.POSITIVE_INFINITY }))
  const beginnings = words.terms.map(({ term, weight }) => ({ letters: beginningOf(term), own: weight }))
  const all = totalOf(words)
  const rated = candidates.map((candidate): RatedCandidate => {
    const { place, meaning } = candidate
    const part = text.slice(place.start, place.end)
    const letters = (NON_ASCII_LETTERS.test(part) ? foldLetters(part) : part.toLowerCase()).replace(DROPPED_IN_WORDS, '')
    const matched = beginnings.reduce((sum, beginning) => sum + (letters.includes(beginning.letters) ? beginning.own : 0), 0)
    // Phrases are checked later, so this upper bound assumes that all of them match.
    return { candidate, maxScore: ((1 - weight) * (matched + words.phrases.length)) / all + weight * meaning }
  })
  return rated.sort((a, b) => b.maxScore - a.maxScore).slice(0, MAX_CHUNKS_READ)
}

/** Only these letters need folding, which is slow. Quotation marks, dashes and emoji do not. */
const NON_ASCII_LETTERS = /[\xc0-\u1fff\u2c00-\ud7ff\ue000-\ufe0e\ufe10-\uffff]/
const DROPPED_IN_WORDS = /['’,]/g

/** Returns the weighted share of the question's words in the text. */
export type WordShare = (text: string) => number

export function wordShareFor(words: SnippetQuery): WordShare {
  const find = matchFinder(words)
  const share = shareFor(words)
  return (text) => share(find(text))
}

function shareFor(words: SnippetQuery): (matches: readonly Match[]) => number {
  const all = totalOf(words)
  return (matches) => Math.min(1, weightOf(matches) / all)
}

function totalOf({ terms, phrases }: SnippetQuery): number {
  return terms.reduce((sum, { weight }) => sum + weight, 0) + phrases.length || 1
}

export interface PassageOptions extends Pick<PassageQuery, 'words'> {
  readonly place: ChunkPlace
  readonly score: number
  readonly chunk?: ReadChunk
  readonly length?: number | undefined
}

export function toPassage(
  { headings }: Pick<Node, 'headings'>,
  text: string,
  {
    place,
    score,
    words,
    chunk = readChunk(text.slice(place.start, place.end), matchFinder(words)),
    length = DEFAULT_CHARACTERS,
  }: PassageOptions,
): Passage {
  const excerpt = passageText(chunk, words, length)
  const lineAt = (offset: number): number => place.startLine + lineNumber(chunk.text, offset) - 1
  const startLine = lineAt(excerpt.start)
  return {
    heading: headingPathAt(headings, startLine),
    start_line: startLine,
    end_line: lineAt(excerpt.end),
    text: excerpt.text,
    score: roundScore(score),
  }
}

/** Minimum share of common words in both directions. */
const MIN_SHARED_WORDS = 0.8
/** A heading of one word, such as `Tags`, is rarely a question. */
const MIN_WORDS = 2

function askedPlaces({ title, headings }: Node, source: NoteText, words: SnippetQuery): readonly ChunkPlace[] {
  const asks = askingFor(words)
  const matching = words.terms.length < MIN_WORDS ? [] : headings.filter(({ text }) => asks(text))
  const opening = asks(title) ? openingOf(source, headings) : undefined
  const isOpening = (heading: Heading): boolean => opening !== undefined && heading.line <= opening.endLine
  const sections = matching.filter((heading) => !isOpening(heading)).map((heading) => sectionOf(source, headings, heading))
  return [opening, ...sections].filter((place) => place !== undefined)
}

function askingFor(words: SnippetQuery): (name: string) => boolean {
  const find = matchFinder(words)
  const all = words.terms.reduce((sum, { weight }) => sum + weight, 0)
  return (name) => {
    const matches = find(name)
    if (matches.length === 0 || weightOf(matches) < MIN_SHARED_WORDS * all) return false
    const nameWords = new Set(queryTerms(name).map(idOf))
    return new Set(matches.map(({ term }) => term)).size >= MIN_SHARED_WORDS * nameWords.size
  }
}

function sectionOf(source: NoteText, headings: readonly Heading[], heading: Heading): ChunkPlace | undefined {
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level)
  return placeOf(source, { from: heading.line, to: next?.line, heading: heading.line })
}

function openingOf(source: NoteText, headings: readonly Heading[]): ChunkPlace | undefined {
  const { text, bodyStart } = source
  const from = lineNumber(text, bodyStart + (/^\s*/.exec(text.slice(bodyStart))?.[0].length ?? 0))
  const [first, second] = headings
  return first?.line === from
    ? placeOf(source, { from, to: second?.line, heading: from })
    : placeOf(source, { from, to: first?.line })
}

interface Lines {
  readonly from: number
  readonly to: number | undefined
  readonly heading?: number
}

function placeOf({ text }: NoteText, { from, to, heading }: Lines): ChunkPlace | undefined {
  const start = offsetOf(text, from)
  const whole = text.slice(start, to === undefined ? text.length : offsetOf(text, to)).trimEnd()
  const body = heading === undefined ? whole : whole.slice(whole.indexOf('\n') + 1 || whole.length)
  if (body.trim() === '') return undefined
  return { start, end: start + whole.length, startLine: from, endLine: from + whole.split('\n').length - 1 }
}

function offsetOf(text: string, line: number): number {
  return startOfLineNumber(text, line) ?? text.length
}
