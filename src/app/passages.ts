import type { Node, NoteText } from '../core/store.ts'
import { type Chunk, chunkNote } from '../search/chunks.ts'
import type { Certainty } from '../search/fusion.ts'
import { findMatches, type SnippetQuery } from '../search/words/matches.ts'
import { snippet } from '../search/words/snippet.ts'

/** A part of a note that answers a question. */
export interface Passage {
  /** The headings above it, from the outside in: what `get_node` takes as `section`. */
  readonly heading: readonly string[]
  /** 1-based lines in the file, both included. */
  readonly start_line: number
  readonly end_line: number
  readonly text: string
  /** 0–1. */
  readonly score: number
}

/** What passages are chosen by. */
export interface PassageQuery {
  readonly words: SnippetQuery
  /** The question, the vectors of the note's chunks, and what cosines mean; absent where meaning has no say. */
  readonly meaning?: {
    readonly question: Float32Array
    readonly chunks: readonly Float32Array[]
    readonly certainty: Certainty
    readonly weight: number
  }
}

const MOST_PASSAGES = 3
const PASSAGE_LENGTH = 500
/** Passages that are worth less of the best one would only be read in vain. */
const LEAST_SHARE = 0.6

/** The parts of a note that answer a question best, at most three, best first; its beginning where none does. */
export function passagesOf(node: Node, source: NoteText, query: PassageQuery): readonly Passage[] {
  const chunks = chunkNote({ title: node.title, text: source.text, bodyStart: source.bodyStart, headings: node.headings })
  const byWords = chunks.map((chunk) => wordShare(source.text.slice(chunk.start, chunk.end), query.words))
  const byMeaning = meaningShares(chunks, query.meaning)
  const weight = byMeaning === undefined ? 0 : (query.meaning?.weight ?? 0)
  const scored = chunks.map((chunk, at) => ({
    chunk,
    score: (1 - weight) * (byWords[at] ?? 0) + weight * (byMeaning?.[at] ?? 0),
  }))
  const ranked = scored.sort((a, b) => b.score - a.score || a.chunk.start - b.chunk.start)
  const least = (ranked[0]?.score ?? 0) * LEAST_SHARE
  return ranked
    .slice(0, MOST_PASSAGES)
    .filter(({ score }, at) => at === 0 || (score > 0 && score >= least))
    .map(({ chunk, score }) => toPassage(source.text, chunk, { score, words: query.words }))
}

/** The weight of the words that a text has, as a share of all of them. */
function wordShare(text: string, words: SnippetQuery): number {
  const all = words.terms.reduce((sum, { weight }) => sum + weight, 0) + words.phrases.length
  if (all === 0) return 0
  const found = new Map(findMatches(text, words).map(({ term, weight }) => [term, weight]))
  return Math.min(1, [...found.values()].reduce((sum, weight) => sum + weight, 0) / all)
}

/** How certain each chunk is as an answer; `undefined` where its vectors are of another state of the note. */
function meaningShares(chunks: readonly Chunk[], meaning: PassageQuery['meaning']): readonly number[] | undefined {
  if (meaning === undefined || meaning.chunks.length !== chunks.length) return undefined
  const { low, high } = meaning.certainty
  return meaning.chunks.map((chunk) => {
    let cosine = 0
    for (let at = 0; at < chunk.length; at++) cosine += (chunk[at] ?? 0) * (meaning.question[at] ?? 0)
    return Math.max(0, Math.min(1, (cosine - low) / (high - low)))
  })
}

function toPassage(
  text: string,
  chunk: Chunk,
  { score, words }: { readonly score: number; readonly words: SnippetQuery },
): Passage {
  const isShort = chunk.end - chunk.start <= PASSAGE_LENGTH
  return {
    heading: chunk.heading,
    start_line: chunk.startLine,
    end_line: chunk.endLine,
    text: isShort
      ? text.slice(chunk.start, chunk.end)
      : snippet(text.slice(0, chunk.end), chunk.start, words, PASSAGE_LENGTH).text,
    score: Number(score.toFixed(4)),
  }
}
