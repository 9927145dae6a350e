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
export interface LinkCandidate {
  readonly from: NodeId
  readonly path: string | undefined
  readonly to: NodeId
  readonly line: number
  readonly passage: number
  readonly sentence: string
  /** The link's weight relative to its passage. */
  readonly weight: number
  readonly maxScore: number
}

export interface ScoredLink extends LinkCandidate {
  readonly score: number
}

const MAX_FOLLOWED = 6
const MAX_LINKED = 12
const MAX_LINKS = 4
const MAX_COMPARED = 24
const LINK_WEIGHT = 3
/** A passage with fewer links than this is probably about the linked notes. */
const FEW_TARGETS = 6
/** The weight of a link whose sentence contains no word of the question. */
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
  // The offsets of links are only valid for the text of their own generation.
  return new Map(snapshot.isMixed ? [] : first.map((id, at) => [id, links[at] ?? []]))
}

export function linksFromPassages(
  passages: readonly PlacedPassage[],
  links: ReadonlyMap<NodeId, readonly OutgoingLink[]>,
): readonly LinkCandidate[] {
  return passages.slice(0, MAX_FOLLOWED).flatMap(({ node, source, place, score }, passage) => {
    const linksOfPlace = (links.get(node.id) ?? []).filter(({ start }) => start >= place.start && start < place.end)
    const targets = new Set(linksOfPlace.map(({ to }) => to)).size
    const passageWeight = LINK_WEIGHT * Math.sqrt(Math.max(1, FEW_TARGETS / targets))
    return linksOfPlace.map(({ to, line, start, end, inLinks }): LinkCandidate => {
      const weight = passageWeight / (1 + LINKED_TARGET_DAMPING * Math.log1p(inLinks))
      const sentence = sentenceOf(source, { start, end })
      return { from: node.id, path: node.path, to, line, passage, sentence, weight, maxScore: Math.min(1, score) }
    })
  })
}

export interface Comparing {
  readonly embedded: EmbeddedQuestion
  readonly criteria: Pick<PassageQuery, 'words' | 'meaning'>
  mayEmbed(path: string): boolean
  readonly signal: AbortSignal | undefined
}

/** Rates links by the similarity of their sentences and the question. Only the best link to each note is returned. */
export async function bestLinks(
  links: readonly LinkCandidate[],
  { embedded, criteria, mayEmbed, signal }: Comparing,
): Promise<readonly ScoredLink[]> {
  const share = wordShareFor(criteria.words)
  const byWords = links.map((link) => ({ link, likeness: share(plainText(link.sentence)) }))
  const candidates = bestOfEach(
    byWords.map(({ link, likeness }) => scored(link, likeness)),
    MAX_COMPARED,
  )
  const embeddable = candidates.filter(({ path }) => path !== undefined && mayEmbed(path))
  const cosines = criteria.meaning === undefined ? undefined : await cosinesOf(embeddable, embedded, signal)
  const nearness = new Map(embeddable.map((link, at) => [link, cosines?.[at]]))
  const rescored = candidates.map((link) => scoredBy(link, nearness.get(link)))
  const best = new Map<NodeId, ScoredLink>()
  for (const link of bestOfEach(rescored, MAX_LINKS)) if (link.score > (best.get(link.to)?.score ?? 0)) best.set(link.to, link)
  return [...best.values()]
}

function scoredBy(link: ScoredLink, cosine: number | undefined): ScoredLink {
  return cosine === undefined ? link : scored(link, cosine)
}

function scored(link: LinkCandidate, likeness: number): ScoredLink {
  const weight = link.weight * (UNMATCHED_FACTOR + (1 - UNMATCHED_FACTOR) * Math.max(0, likeness))
  return { ...link, score: link.maxScore * Math.min(weight, MAX_TARGET_SHARE + weight / BETTER_TARGET_DIVISOR) }
}

/** A linked passage never scores as much as the passage that links to it. */
const MAX_TARGET_SHARE = 0.99
const BETTER_TARGET_DIVISOR = 800

/** Returns at most one link per target. */
function bestOfEach(links: readonly ScoredLink[], count: number): readonly ScoredLink[] {
  const targetsByPassage = new Map<number, Set<NodeId>>()
  return links
    .toSorted((a, b) => a.passage - b.passage || b.score - a.score)
    .filter(({ passage, to }) => {
      const targets = targetsByPassage.get(passage) ?? new Set()
      targetsByPassage.set(passage, targets)
      return targets.size < count && !targets.has(to) && targets.add(to) !== undefined
    })
}

async function cosinesOf(
  links: readonly LinkCandidate[],
  { question }: EmbeddedQuestion,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  if (question === undefined || links.length === 0) return undefined
  const { embedder, vector } = question
  const patience = AbortSignal.timeout(MODEL_TIMEOUT)
  const stop = signal === undefined ? patience : AbortSignal.any([signal, patience])
  const texts = links.map(({ sentence }) => plainText(sentence))
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
  { links, criteria, embedded }: { readonly links: readonly ScoredLink[] } & Pick<Comparing, 'criteria' | 'embedded'>,
): Promise<{ readonly passages: readonly PlacedPassage[]; readonly unread: readonly NodeId[] }> {
  if (links.length === 0) return { passages: [], unread: [] }
  const ids = links.map(({ to }) => to)
  const { notes, stored, unread } = await readChunked(reading, ids, { links: 0, question: embedded.question })
  const passages = links.flatMap((link, at): readonly PlacedPassage[] => {
    const { node, source } = notes[at] ?? {}
    if (node === undefined || source === undefined) return []
    const via = { from: link.from, line: link.line }
    const words = withSentence(criteria.words, link.sentence)
    const places = placesOf(node, readableSource(node, source), { ...criteria, words, stored: stored[at] })
    const best = places[0]?.score || 1
    return places.map((each) =>
      packPassage({ node, source, place: each.place, words, via, score: (link.score * (each.score || 1)) / best }),
    )
  })
  return { passages, unread }
}

/** Adds the words of the linking sentence to the query, because the sentence usually describes the linked note. */
function withSentence({ terms, phrases }: SnippetQuery, sentence: string): SnippetQuery {
  const termIds = new Set(terms.map(({ term }) => idOf(term)))
  const more = queryTerms(plainText(sentence)).filter((term) => !termIds.has(idOf(term)))
  const weight = (SENTENCE_WORD_WEIGHT * terms.reduce((sum, each) => sum + each.weight, 0)) / (terms.length || 1)
  return { terms: [...terms, ...more.map((term) => ({ term, weight }))], phrases }
}

/** The weight of a word in the sentence, relative to an average word of the question. */
const SENTENCE_WORD_WEIGHT = 0.25
