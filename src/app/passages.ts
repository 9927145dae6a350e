import type { ChunkPlace, NoteChunks } from '../core/search.ts'
import type { Node } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import { chunkNote, headingPathAt } from '../search/chunks.ts'
import type { Certainty } from '../search/fusion.ts'
import { matchFinder, type SnippetQuery } from '../search/words/matches.ts'
import { TOKEN_BYTES } from './budget.ts'
import { passageText, wordsOf } from './passage-text.ts'

/** A part of a note that answers a question. */
export interface Passage {
  /** The headings above it, from the outside in: what `get_node` takes as `section`. */
  readonly heading: readonly string[]
  /** 1-based lines in the file that `text` is of, both included. */
  readonly start_line: number
  readonly end_line: number
  readonly text: string
  /** 0–1. */
  readonly score: number
}

/** What passages are chosen by. */
export interface PassageQuery {
  readonly words: SnippetQuery
  /** The note's chunks as they were embedded; without them it is cut again. */
  readonly stored?: NoteChunks | undefined
  /** Absent where meaning has no say. */
  readonly meaning?: Meaning | undefined
  /** Characters of each. */
  readonly length?: number
}

export interface Meaning {
  readonly question: Float32Array
  readonly certainty: Certainty
  /** What meaning counts against words, 0–1. */
  readonly weight: number
}

const MOST_PASSAGES = 3
/** Characters of a passage: as many as there is room for, but not less than say something. */
const MOST_CHARACTERS = 1_600
/** Where nothing limits an answer. */
const USUAL_CHARACTERS = 500
const LEAST_CHARACTERS = 160
/** Bytes of a result, and of a passage, beside the passage's text: about what they are in a vault of some thousand notes. */
const RESULT_BYTES = 170
const PASSAGE_BYTES = 110
/** What passages and all before them may take of a budget, so that there is room for what is known of a note beside them. */
const PASSAGES_SHARE = 0.67
/** Passages that are worth less of the best one would only be read in vain. */
const LEAST_SHARE = 0.6
/** Chunks of a long note that are looked through for words: the likeliest by meaning and by how their words begin. */
const LOOKED_THROUGH = 24

interface Candidate {
  readonly place: ChunkPlace
  /** How certain it is as an answer by meaning. */
  readonly meaning: number
}

/**
 * How long the passages of each of so many results are in an answer of so many tokens, by its place: the first ones, which mostly answer, share
 * the room that is left when each says something.
 */
export function passageLengths(maxTokens: number | undefined, results: number): (at: number) => number {
  if (maxTokens === undefined || results === 0) return () => USUAL_CHARACTERS
  const left = PASSAGES_SHARE * maxTokens * TOKEN_BYTES - results * (RESULT_BYTES + PASSAGE_BYTES + LEAST_CHARACTERS)
  const first = within(left / Math.min(results, FIRST))
  const rest = within((left - FIRST * (first - LEAST_CHARACTERS)) / Math.max(1, results - FIRST))
  return (at) => (at < FIRST ? first : rest)
}

/** Results that have more room than others. */
const FIRST = 3

/** So many characters more than the least. */
function within(more: number): number {
  return Math.max(LEAST_CHARACTERS, Math.min(MOST_CHARACTERS, Math.floor(LEAST_CHARACTERS + more)))
}

/** More results than these cannot have a passage each in so many tokens. */
export function mostPassages(maxTokens: number): number {
  return Math.ceil((maxTokens * TOKEN_BYTES) / LEAST_CHARACTERS)
}

/** A part of a note, and how much of a question it says, 0–1. */
export interface AnsweringPlace {
  readonly place: ChunkPlace
  readonly score: number
}

/** The parts of a note that answer a question best, at most three, best first; its beginning where none does. */
export function passagesOf(node: Node, source: NoteText, query: PassageQuery): readonly Passage[] {
  const { words, length } = query
  return placesOf(node, source, query).map((each) => toPassage(node, source.text, { ...each, words, length }))
}

/** Where these parts stand. */
export function placesOf(node: Node, source: NoteText, query: PassageQuery): readonly AnsweringPlace[] {
  const stored = ofThisState(source, query.stored)
  const meaning = stored === undefined ? undefined : query.meaning
  const candidates = stored === undefined ? inOrder(node, source) : byMeaning(stored, meaning)
  const weight = meaning?.weight ?? 0
  const share = wordShareFor(query.words)
  const chosen = likeliest(candidates, source.text, { words: query.words, share, weight })
  const scored = chosen.map(({ place, meaning: certainty }) => ({
    place,
    score: (1 - weight) * share(wordsOf(source.text.slice(place.start, place.end))) + weight * certainty,
  }))
  const ranked = scored.sort((a, b) => b.score - a.score || a.place.start - b.place.start)
  const least = (ranked[0]?.score ?? 0) * LEAST_SHARE
  return ranked.slice(0, MOST_PASSAGES).filter(({ score }, at) => at === 0 || (score > 0 && score >= least))
}

/** The parts that a note consists of, in order; `stored` is how they were embedded. */
export function chunksOf(node: Node, source: NoteText, stored: NoteChunks | undefined): readonly ChunkPlace[] {
  return ofThisState(source, stored)?.chunks ?? inOrder(node, source).map(({ place }) => place)
}

/** Chunks of another state of the note tell nothing of this one. */
function ofThisState({ hash }: NoteText, stored: NoteChunks | undefined): NoteChunks | undefined {
  return stored !== undefined && hash.startsWith(stored.content) ? stored : undefined
}

/** The chunks with how certain each is as an answer, best first. */
function byMeaning({ chunks }: NoteChunks, meaning: Meaning | undefined): readonly Candidate[] {
  if (meaning === undefined) return chunks.map((place) => ({ place, meaning: 0 }))
  const { question, certainty } = meaning
  const certaintyOf = (vector: Float32Array): number => {
    let cosine = 0
    for (let at = 0; at < vector.length; at++) cosine += (vector[at] ?? 0) * (question[at] ?? 0)
    return Math.max(0, Math.min(1, (cosine - certainty.low) / (certainty.high - certainty.low)))
  }
  const candidates = chunks.map((place) => ({ place, meaning: certaintyOf(place.vector) }))
  return candidates.sort((a, b) => b.meaning - a.meaning || a.place.start - b.place.start)
}

function inOrder(node: Node, { text, bodyStart }: NoteText): readonly Candidate[] {
  const chunks = chunkNote({ title: node.title, text, bodyStart, headings: node.headings })
  return chunks.map((place) => ({ place, meaning: 0 }))
}

/** The chunks that are worth looking at more closely, by what they have of the words at a first glance. */
function likeliest(
  candidates: readonly Candidate[],
  text: string,
  { words, share, weight }: { readonly words: SnippetQuery; readonly share: WordShare; readonly weight: number },
): readonly Candidate[] {
  if (candidates.length <= LOOKED_THROUGH) return candidates
  const glance = glanceFor(words, share)
  const rated = candidates.map((candidate) => {
    const { start, end } = candidate.place
    return { candidate, rate: (1 - weight) * glance(text.slice(start, end)) + weight * candidate.meaning }
  })
  rated.sort((a, b) => b.rate - a.rate)
  return rated.slice(0, LOOKED_THROUGH).map(({ candidate }) => candidate)
}

/**
 * About what `share` says: searching for a few letters takes a tenth of the time that reading the words takes. It finds them only where words
 * are spelled as they are indexed, but for case.
 */
function glanceFor(words: SnippetQuery, share: WordShare): WordShare {
  const beginnings = words.terms.map(({ term, weight: worth }) => ({ letters: commonBeginning(term.form, term.stem), worth }))
  const all = beginnings.reduce((sum, { worth }) => sum + worth, 0) || 1
  return (chunk) => {
    if (!isPlain(chunk)) return share(chunk)
    const lower = chunk.toLowerCase()
    return beginnings.reduce((sum, { letters, worth }) => sum + (lower.includes(letters) ? worth : 0), 0) / all
  }
}

/** Whether nothing in the text is indexed otherwise than it is spelled: no accents, no `don't`, no `1,000`. */
function isPlain(text: string): boolean {
  return ASCII.test(text) && !(text.includes("'") && CONTRACTION.test(text)) && !(text.includes(',') && GROUPED.test(text))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/
/** But for `'s`, which is dropped anyway. */
const CONTRACTION = /'(?!s\b)[A-Za-z0-9]/
const GROUPED = /\d,\d/

function commonBeginning(form: string, stem: string): string {
  let length = 0
  while (length < stem.length && form[length] === stem[length]) length++
  return form.slice(0, length)
}

/** The weight of the words that a text has, as a share of all of them. */
export type WordShare = (text: string) => number

export function wordShareFor(words: SnippetQuery): WordShare {
  const all = words.terms.reduce((sum, { weight }) => sum + weight, 0) + words.phrases.length
  if (all === 0) return () => 0
  const find = matchFinder(words)
  return (text) => {
    const found = new Map(find(text).map(({ term, weight }) => [term, weight]))
    return Math.min(1, [...found.values()].reduce((sum, weight) => sum + weight, 0) / all)
  }
}

export interface Shown extends Pick<PassageQuery, 'words'> {
  readonly place: ChunkPlace
  readonly score: number
  readonly length?: number | undefined
}

/** What is shown of a part of a note in so many characters. */
export function toPassage(
  { headings }: Pick<Node, 'headings'>,
  text: string,
  { place, score, words, length = USUAL_CHARACTERS }: Shown,
): Passage {
  const chunk = text.slice(place.start, place.end)
  const shown = passageText(chunk, words, length)
  const startLine = place.startLine + lineBreaks(chunk, 0, shown.start)
  return {
    heading: headingPathAt(headings, startLine),
    start_line: startLine,
    end_line: startLine + lineBreaks(chunk, shown.start, shown.end),
    text: shown.text,
    score: Number(score.toFixed(4)),
  }
}

function lineBreaks(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}
