import type { NodeId } from '../../core/ids.ts'
import { requireVectors } from '../../core/require-vectors.ts'
import type { OutgoingLink, Scope, Snapshot } from '../../core/store.ts'
import { dotProduct } from '../../core/vectors.ts'
import { untilAborted } from '../../core/waiting/aborting.ts'
import { plainText } from '../../search/chunks.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { idOf, queryTerms } from '../../search/words/query-terms.ts'
import { type PassageQuery, placesOf, wordShareFor } from '../find/passages.ts'
import { MODEL_TIMEOUT } from '../find/question-vector.ts'
import { type EmbeddedQuestion, readChunked } from '../find/search.ts'
import { sentenceOf } from '../links/link-sentences.ts'
import { readableSource } from '../read/readable-source.ts'
import type { ReadingContext } from '../read/texts.ts'
import { type PlacedPassage, packPassage } from './pack-passages.ts'

/** A link in a passage, with the score that its target would get if the sentence around the link fully matched the question. */
export interface LinkWay {
  readonly from: NodeId
  /** Path of the note that contains the link. */
  readonly path: string | undefined
  readonly to: NodeId
  readonly line: number
  /** Index of the passage that contains the link. */
  readonly passage: number
  readonly sentence: string
  /** Weight of the link relative to its passage. */
  readonly worth: number
  /** Score of the passage, at most 1. */
  readonly maxScore: number
}

export interface ChosenWay extends LinkWay {
  readonly score: number
}

/** Follow the links of this many passages. */
const MAX_FOLLOWED = 6
/** Number of notes whose links are read. */
const MAX_LINKED = 12
/** Maximum number of links followed per passage. */
const MAX_LINKS = 4
/** Compare the sentences of this many links per passage with the question. */
const MAX_COMPARED = 24
/** Weight of a link relative to its passage. */
const WORTH = 3
/** Links get a higher weight if their passage links to fewer notes than this, because it is probably about these notes. */
const FEW = 6
/** Factor for the weight of a link whose sentence contains no word of the question. */
const LEAST = 0.2
/** Controls how much the weight of a link drops if many others have the same target. */
const KNOWN = 0.3

/** Returns the links of the first notes, which contain most of the best passages. Runs in parallel with reading the notes. */
export async function linksOf(
  snapshot: Snapshot,
  ids: readonly NodeId[],
  scope: Scope,
): Promise<ReadonlyMap<NodeId, readonly OutgoingLink[]>> {
  const first = ids.slice(0, MAX_LINKED)
  const links = await snapshot.linksWithin(
    first.map((id) => ({ id, start: 0, end: Number.MAX_SAFE_INTEGER })),
    scope,
  )
  // Positions from one generation must not be used with text from another.
  return new Map(snapshot.isMixed ? [] : first.map((id, at) => [id, links[at] ?? []]))
}

/** Returns the links in the first passages. `passages` are sorted, best first. */
export function linksFromPassages(
  passages: readonly PlacedPassage[],
  links: ReadonlyMap<NodeId, readonly OutgoingLink[]>,
): readonly LinkWay[] {
  return passages.slice(0, MAX_FOLLOWED).flatMap(({ node, source, place, score }, passage) => {
    const linksOfPlace = (links.get(node.id) ?? []).filter(({ start }) => start >= place.start && start < place.end)
    const targets = new Set(linksOfPlace.map(({ to }) => to)).size
    const weight = WORTH * Math.sqrt(Math.max(1, FEW / targets))
    return linksOfPlace.map(({ to, line, start, end, inLinks }): LinkWay => {
      const worth = weight / (1 + KNOWN * Math.log1p(inLinks))
      const sentence = sentenceOf(source, { start, end })
      return { from: node.id, path: node.path, to, line, passage, sentence, worth, maxScore: Math.min(1, score) }
    })
  })
}

export interface Comparing {
  readonly embedded: EmbeddedQuestion
  readonly lens: Pick<PassageQuery, 'words' | 'meaning'>
  /** Checks whether sentences of the file with this path may be embedded. */
  mayEmbed(path: string): boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Returns the best links of each passage, based on how well their sentences match the question. If several links lead to the same
 * note, returns only the best one.
 */
export async function bestLinks(
  linkWays: readonly LinkWay[],
  { embedded, lens, mayEmbed, signal }: Comparing,
): Promise<readonly ChosenWay[]> {
  const share = wordShareFor(lens.words)
  const byWords = linkWays.map((way) => ({ way, likeness: share(plainText(way.sentence)) }))
  const candidates = bestOfEach(
    byWords.map(({ way, likeness }) => scored(way, likeness)),
    MAX_COMPARED,
  )
  const embeddable = candidates.filter(({ path }) => path !== undefined && mayEmbed(path))
  const cosines = lens.meaning === undefined ? undefined : await cosinesOf(embeddable, embedded, signal)
  const nearness = new Map(embeddable.map((way, at) => [way, cosines?.[at]]))
  const rescored = candidates.map((way) => scoredBy(way, nearness.get(way)))
  const best = new Map<NodeId, ChosenWay>()
  for (const way of bestOfEach(rescored, MAX_LINKS)) if (way.score > (best.get(way.to)?.score ?? 0)) best.set(way.to, way)
  return [...best.values()]
}

/** Scores a link by semantic similarity if possible. Otherwise, keeps its word score. */
function scoredBy(way: ChosenWay, cosine: number | undefined): ChosenWay {
  return cosine === undefined ? way : scored(way, cosine)
}

/** Scores a linked passage lower than the passage that links to it. */
function scored(way: LinkWay, likeness: number): ChosenWay {
  const worth = way.worth * (LEAST + (1 - LEAST) * Math.max(0, likeness))
  return { ...way, score: way.maxScore * Math.min(worth, MOST + worth / MANY) }
}

/** Limits the score of a target to just below that of its source. Better targets still score higher than others. */
const MOST = 0.99
const MANY = 800

/** Returns the best links of each passage, at most one per target. */
function bestOfEach(ways: readonly ChosenWay[], count: number): readonly ChosenWay[] {
  const targetsByPassage = new Map<number, Set<NodeId>>()
  return ways
    .toSorted((a, b) => a.passage - b.passage || b.score - a.score)
    .filter(({ passage, to }) => {
      const targets = targetsByPassage.get(passage) ?? new Set()
      targetsByPassage.set(passage, targets)
      return targets.size < count && !targets.has(to) && targets.add(to) !== undefined
    })
}

/** Returns the cosines of sentences with the question, or `undefined` if the model does not respond in time. */
async function cosinesOf(
  ways: readonly LinkWay[],
  { question }: EmbeddedQuestion,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  if (question === undefined || ways.length === 0) return undefined
  const { embedder, vector } = question
  const patience = AbortSignal.timeout(MODEL_TIMEOUT)
  const stop = signal === undefined ? patience : AbortSignal.any([signal, patience])
  const texts = ways.map(({ sentence }) => plainText(sentence))
  try {
    const vectors = await untilAborted(embedder.embed(texts, 'passage', stop), stop)
    return requireVectors(embedder, texts.length, vectors).map((each) => dotProduct(each, vector))
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

/** Reads the link targets and returns the passages that match the question best. */
export async function readLinked(
  reading: ReadingContext,
  { ways, lens, embedded }: { readonly ways: readonly ChosenWay[] } & Pick<Comparing, 'lens' | 'embedded'>,
): Promise<{ readonly passages: readonly PlacedPassage[]; readonly unread: readonly NodeId[] }> {
  if (ways.length === 0) return { passages: [], unread: [] }
  const ids = ways.map(({ to }) => to)
  const { notes, stored, unread } = await readChunked(reading, ids, { links: 0, question: embedded.question })
  const passages = ways.flatMap((way, at): readonly PlacedPassage[] => {
    const { node, source } = notes[at] ?? {}
    if (node === undefined || source === undefined) return []
    const via = { from: way.from, line: way.line }
    const words = withSentence(lens.words, way.sentence)
    const places = placesOf(node, readableSource(node, source), { ...lens, words, stored: stored[at] })
    const best = places[0]?.score || 1
    return places.map((each) =>
      packPassage({ node, source, place: each.place, words, via, score: (way.score * (each.score || 1)) / best }),
    )
  })
  return { passages, unread }
}

/** Adds the words of the sentence around a link, because they usually explain it. */
function withSentence({ terms, phrases }: SnippetQuery, sentence: string): SnippetQuery {
  const termIds = new Set(terms.map(({ term }) => idOf(term)))
  const more = queryTerms(plainText(sentence)).filter((term) => !termIds.has(idOf(term)))
  const weight = (SAID * terms.reduce((sum, each) => sum + each.weight, 0)) / (terms.length || 1)
  return { terms: [...terms, ...more.map((term) => ({ term, weight }))], phrases }
}

/** Weight of a word from the sentence, relative to an average word of the question. */
const SAID = 0.25
