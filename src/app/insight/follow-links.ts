import { requireVectors } from '../../core/embedder.ts'
import type { NodeId } from '../../core/ids.ts'
import type { OutgoingLink, Scope, Snapshot } from '../../core/store.ts'
import { dotProduct } from '../../core/vectors.ts'
import { untilAborted } from '../../core/waiting.ts'
import { plainText } from '../../search/chunks.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { idOf, queryTerms } from '../../search/words/query-terms.ts'
import { type PassageQuery, placesOf, wordShareFor } from '../find/passages.ts'
import { MODEL_TIMEOUT } from '../find/question-vector.ts'
import { type EmbeddedQuestion, readChunked } from '../find/search.ts'
import { sentenceOf } from '../links/link-sentences.ts'
import { type ReadingContext, readableSource } from '../read/texts.ts'
import { type PlacedPassage, packPassage } from './pack-passages.ts'

/** A link in a passage, scored as if its sentence matched perfectly. */
export interface LinkWay {
  readonly from: NodeId
  readonly path: string | undefined
  readonly to: NodeId
  readonly line: number
  readonly passage: number
  readonly sentence: string
  /** Weight of the link relative to its passage. */
  readonly worth: number
  readonly maxScore: number
}

export interface ChosenWay extends LinkWay {
  readonly score: number
}

const MAX_FOLLOWED = 6
const MAX_LINKED = 12
const MAX_LINKS = 4
const MAX_COMPARED = 24
const LINK_WEIGHT = 3
/** A passage with fewer links is probably about the linked notes. */
const FEW_TARGETS = 6
/** Weight of a link whose sentence contains no word of the question. */
const UNMATCHED_FACTOR = 0.2
const LINKED_TARGET_DAMPING = 0.3

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
  // Link offsets are only valid for the text of their own generation.
  return new Map(snapshot.isMixed ? [] : first.map((id, at) => [id, links[at] ?? []]))
}

export function linksFromPassages(
  passages: readonly PlacedPassage[],
  links: ReadonlyMap<NodeId, readonly OutgoingLink[]>,
): readonly LinkWay[] {
  return passages.slice(0, MAX_FOLLOWED).flatMap(({ node, source, place, score }, passage) => {
    const linksOfPlace = (links.get(node.id) ?? []).filter(({ start }) => start >= place.start && start < place.end)
    const targets = new Set(linksOfPlace.map(({ to }) => to)).size
    const weight = LINK_WEIGHT * Math.sqrt(Math.max(1, FEW_TARGETS / targets))
    return linksOfPlace.map(({ to, line, start, end, inLinks }): LinkWay => {
      const worth = weight / (1 + LINKED_TARGET_DAMPING * Math.log1p(inLinks))
      const sentence = sentenceOf(source, { start, end })
      return { from: node.id, path: node.path, to, line, passage, sentence, worth, maxScore: Math.min(1, score) }
    })
  })
}

export interface Comparing {
  readonly embedded: EmbeddedQuestion
  readonly lens: Pick<PassageQuery, 'words' | 'meaning'>
  mayEmbed(path: string): boolean
  readonly signal: AbortSignal | undefined
}

/** Rates links by the similarity of their sentences and the question. Keeps the best link to each note. */
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

function scoredBy(way: ChosenWay, cosine: number | undefined): ChosenWay {
  return cosine === undefined ? way : scored(way, cosine)
}

function scored(way: LinkWay, likeness: number): ChosenWay {
  const worth = way.worth * (UNMATCHED_FACTOR + (1 - UNMATCHED_FACTOR) * Math.max(0, likeness))
  return { ...way, score: way.maxScore * Math.min(worth, MAX_TARGET_SHARE + worth / BETTER_TARGET_DIVISOR) }
}

/** A linked passage scores less than the passage that links to it. */
const MAX_TARGET_SHARE = 0.99
const BETTER_TARGET_DIVISOR = 800

/** Keeps at most one link per target. */
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

/** The sentence with a link usually describes the linked note. */
function withSentence({ terms, phrases }: SnippetQuery, sentence: string): SnippetQuery {
  const termIds = new Set(terms.map(({ term }) => idOf(term)))
  const more = queryTerms(plainText(sentence)).filter((term) => !termIds.has(idOf(term)))
  const weight = (SENTENCE_WORD_WEIGHT * terms.reduce((sum, each) => sum + each.weight, 0)) / (terms.length || 1)
  return { terms: [...terms, ...more.map((term) => ({ term, weight }))], phrases }
}

/** Weight relative to an average word of the question. */
const SENTENCE_WORD_WEIGHT = 0.25
