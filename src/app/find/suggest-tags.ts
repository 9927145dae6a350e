import { wordsIn } from '../../ai/words-and-sentences.ts'
import type { NodeId } from '../../core/ids.ts'
import { folderOf, nameOf } from '../../core/paths.ts'
import type { WordTerm } from '../../core/query.ts'
import { ALL, type Node, type Snapshot, type Store } from '../../core/store.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { foldName, foldTag } from '../../core/text/fold.ts'
import { cosine } from '../../core/vectors.ts'
import type { Relevance } from '../../search/relevance.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { answerFindable, type Call } from '../answer/answer-when-ready.ts'
import { roundScore } from '../answer/node-response.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findNamed, unknownIdWarning } from '../names/known-node.ts'
import { type ReadingContext, readTexts } from '../read/texts.ts'
import { toAnsweringScope } from '../scope.ts'
import { centerOf, servingVectors } from './similar-nodes.ts'

export interface SuggestTagsArguments {
  readonly id: string
  readonly limit: number
  readonly relevance: Relevance
}

interface Suggestion {
  /** The weighted share of the nearest notes with this label, plus bonuses, 0–1. */
  readonly score: number
  readonly from: readonly NodeId[]
  /** An operation for `apply_changes`. It is omitted if it does not fit the budget. */
  readonly operation?: SuggestedOperation
}

export type SuggestedOperation =
  | { readonly tool: 'manage_tags'; readonly arguments: { readonly id: NodeId; readonly add: readonly string[] } }
  | { readonly tool: 'move_node'; readonly arguments: { readonly id: NodeId; readonly to: string } }

export interface SuggestedTags {
  readonly tags: readonly ({ readonly tag: string } & Suggestion)[]
  readonly folders: readonly ({ readonly path: string } & Suggestion)[]
  readonly reason?: string
}

const VOTERS = 60
const SEARCHED_WORDS = 30
const MAX_WORDS = 150
const MAX_CANDIDATES = 60
const MAX_PASSAGES = 300
const MIN_SCORE: Readonly<Record<Relevance, number>> = { strict: 0.4, normal: 0.24, loose: 0 }
/** The maximum bonus. Notes at lower ranks add less. */
const NEAREST_NOTE_BONUS = 0.1
/** The bonus for a label whose words occur in the text. Words in the title add `IN_TITLE_BONUS`. */
const IN_TEXT_BONUS = 0.1
const IN_TITLE_BONUS = 0.3
const SAMPLED_NOTES = 400

/** Suggests existing tags and folders of the nearest notes that the note itself does not have. */
export function suggestTags(
  core: GraphCore,
  { id: name, limit, relevance }: SuggestTagsArguments,
  call: Call = {},
): Promise<Answer<SuggestedTags>> {
  return answerFindable<SuggestedTags>(core, call, 'meaning', (read) =>
    read(async (snapshot) => {
      const { ids, warnings } = await findNamed(snapshot, core, [name])
      const [id] = ids
      const [node] = id === undefined ? [] : await snapshot.nodes([id], { links: 0 })
      if (id === undefined || node?.kind !== 'note') {
        const notices = id === undefined ? warnings : [await unknownIdWarning(snapshot, name)]
        return { value: { ...NONE, reason: 'There is no such note.' }, warnings: notices }
      }
      return { value: await suggestFor({ core, snapshot, call }, node, { limit, minScore: MIN_SCORE[relevance] }), warnings }
    }),
  )
}

const NONE = { tags: [], folders: [] } as const

async function suggestFor(
  reading: ReadingContext,
  node: Node,
  { limit, minScore }: { readonly limit: number; readonly minScore: number },
): Promise<SuggestedTags> {
  const source = (await readTexts(reading, [node.id])).texts.get(node.id)
  const text = `${node.title}\n${node.title}\n${source?.text.slice(source.bodyStart) ?? ''}`
  const nearest = await nearestNotes(reading, node.id, text)
  if (nearest.length === 0) return { ...NONE, reason: 'No note is similar to this one, by meaning or by words.' }
  const neighbors = await reading.snapshot.nodes(
    nearest.map(({ id }) => id),
    { links: 0 },
  )
  const voters = nearest.flatMap(({ id, weight }, at) => {
    const neighbor = neighbors[at]
    return neighbor === undefined ? [] : [{ id, weight, tags: neighbor.tags, folder: folderOf(neighbor.path ?? '') }]
  })
  const ballot = { words: wordsOf(text), titleWords: wordsOf(node.title), minScore }
  const ownTags = new Set(node.tags.map(foldTag))
  const tags = rankLabels(
    voters.map(({ tags: labels, ...voter }) => ({ ...voter, labels })),
    ballot,
  )
    .filter(({ label }) => !ownTags.has(foldTag(label)))
    .slice(0, limit)
    .map(({ label, ...rest }) => ({
      tag: label,
      ...rest,
      operation: { tool: 'manage_tags', arguments: { id: node.id, add: [label] } } as const,
    }))
  const [ownFolder, ownName] = [folderOf(node.path ?? ''), nameOf(node.path ?? node.id)]
  const folders = rankLabels(
    voters.map(({ folder, ...voter }) => ({ ...voter, labels: [folder] })),
    ballot,
  )
    .filter(({ label }) => label !== ownFolder)
    .slice(0, limit)
    .map(({ label, ...rest }) => ({
      path: label,
      ...rest,
      operation: { tool: 'move_node', arguments: { id: node.id, to: `${label}/${ownName}` } } as const,
    }))
  if (tags.length === 0 && folders.length === 0)
    return { tags, folders, reason: 'The nearest notes share no tag that this one lacks, and no other folder.' }
  if (tags.length === 0) return { tags, folders, reason: 'The nearest notes share no tag that this one lacks.' }
  return { tags, folders }
}

interface NearestVotes {
  readonly id: NodeId
  /** The square of the mean of the normalized semantic and keyword scores. */
  readonly weight: number
}

async function nearestNotes(reading: ReadingContext, id: NodeId, text: string): Promise<readonly NearestVotes[]> {
  const [words, near] = await Promise.all([byWords(reading.snapshot, id, text), nearByMeaning(reading, id)])
  const meaning = near === undefined ? new Map<NodeId, number>() : await cosinesFrom(reading, near, [...words.keys()])
  const ids = [...new Set([...words.keys(), ...meaning.keys()])]
  const maxOf = (scores: ReadonlyMap<NodeId, number>): number => Math.max(...scores.values(), Number.EPSILON)
  const [mostWords, mostMeaning] = [maxOf(words), maxOf(meaning)]
  return ids
    .map((noteId) => ({
      id: noteId,
      near: ((words.get(noteId) ?? 0) / mostWords + (meaning.get(noteId) ?? 0) / mostMeaning) / 2,
    }))
    .sort((a, b) => b.near - a.near || compareTexts(a.id, b.id))
    .slice(0, VOTERS)
    .map(({ id: noteId, near }) => ({ id: noteId, weight: near ** 2 }))
}

async function byWords(snapshot: Snapshot, id: NodeId, text: string): Promise<ReadonlyMap<NodeId, number>> {
  const often = queryTerms(text.slice(0, 20_000))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_WORDS)
  if (often.length === 0) return new Map()
  const [{ terms }, { total }] = await Promise.all([snapshot.words(often, {}, 1), snapshot.select({}, { offset: 0, limit: 0 })])
  const notes = new Map(terms.map((term) => [term.word, term.notes]))
  const worth = ({ form, count }: WordTerm): number => {
    const noteCount = notes.get(form) ?? 0
    // A word that occurs only in this note cannot find other notes.
    return noteCount < 2 ? 0 : (1 + Math.log(count)) * Math.log(1 + total / noteCount)
  }
  const best = often
    .filter((term) => worth(term) > 0)
    .toSorted((a, b) => worth(b) - worth(a))
    .slice(0, SEARCHED_WORDS)
  if (best.length === 0) return new Map()
  const { hits } = await snapshot.words(
    best.map((term) => ({ ...term, count: 1 })),
    {},
    MAX_CANDIDATES + 1,
  )
  return new Map(hits.filter((hit) => hit.id !== id).map((hit) => [hit.id, hit.score]))
}

interface NearByMeaning {
  readonly id: NodeId
  readonly embedder: string
  readonly center: Float32Array
  readonly ids: readonly NodeId[]
}

async function nearByMeaning({ core, snapshot }: ReadingContext, id: NodeId): Promise<NearByMeaning | undefined> {
  const embedder = core.embedding === undefined ? undefined : await servingVectors(snapshot)
  if (embedder === undefined) return undefined
  const [chunks] = await snapshot.vectors(embedder, [id])
  const center = centerOf(chunks?.chunks.map(({ vector }) => vector) ?? [])
  if (center === undefined) return undefined
  const [hits = []] = await snapshot.nearest(embedder, [center], toAnsweringScope({}, ''), MAX_PASSAGES)
  return { id, embedder, center, ids: [...new Set(hits.map((hit) => hit.id))].slice(0, MAX_CANDIDATES + 1) }
}

/** Compares vectors after subtracting the vault's centroid, so features that all notes share do not count. */
async function cosinesFrom(
  { core, snapshot }: ReadingContext,
  { id, embedder, center, ids: near }: NearByMeaning,
  others: readonly NodeId[],
): Promise<ReadonlyMap<NodeId, number>> {
  const ids = [...new Set([...near, ...others])].filter((noteId) => noteId !== id)
  const [middle, vectors] = await Promise.all([middleOf(core.store, snapshot, embedder), snapshot.vectors(embedder, ids)])
  const from = directionFrom(center, middle)
  const cosines = ids.flatMap((noteId, at) => {
    const to = centerOf(vectors[at]?.chunks.map(({ vector }) => vector) ?? [])
    return to === undefined ? [] : [[noteId, Math.max(0, cosine(from, directionFrom(to, middle)))] as const]
  })
  return new Map(cosines)
}

const middles = new WeakMap<Store, { readonly of: string; readonly middle: Float32Array }>()

/** Returns the centroid of a sample of the vault. It is computed again when the vault changes. */
async function middleOf(store: Store, snapshot: Snapshot, embedder: string): Promise<Float32Array> {
  const of = `${snapshot.generation} ${embedder}`
  const cached = middles.get(store)
  if (cached?.of === of) return cached.middle
  const { items } = await snapshot.select({}, ALL)
  const step = Math.max(1, Math.floor(items.length / SAMPLED_NOTES))
  const sampled = items.filter((_, at) => at % step === 0).map(({ id }) => id)
  const centers = (await snapshot.vectors(embedder, sampled)).flatMap(
    (note) => centerOf(note?.chunks.map(({ vector }) => vector) ?? []) ?? [],
  )
  const middle = new Float32Array(centers[0]?.length ?? 0)
  for (const vector of centers)
    for (let at = 0; at < middle.length; at++) middle[at] = (middle[at] ?? 0) + (vector[at] ?? 0) / centers.length
  middles.set(store, { of, middle })
  return middle
}

function directionFrom(vector: Float32Array, middle: Float32Array): Float32Array {
  return vector.map((value, at) => value - (middle[at] ?? 0))
}

interface Voter extends NearestVotes {
  readonly labels: readonly string[]
}

interface Ballot {
  readonly words: ReadonlySet<string>
  readonly titleWords: ReadonlySet<string>
  readonly minScore: number
}

function rankLabels(
  voters: readonly Voter[],
  ballot: Ballot,
): readonly ({ readonly label: string } & Omit<Suggestion, 'operation'>)[] {
  const all = voters.reduce((sum, { weight }) => sum + weight, 0) || 1
  const maxWeight = voters[0]?.weight || 1
  const byLabel = new Map<string, { readonly label: string; share: number; readonly from: NodeId[] }>()
  for (const { id, weight, labels } of voters) {
    for (const label of new Set(labels)) {
      if (label === '') continue
      const key = foldName(label)
      // The list `voters` is sorted, so the first note is the nearest.
      const vote = byLabel.get(key) ?? { label, share: NEAREST_NOTE_BONUS * (weight / maxWeight), from: [] }
      vote.share += weight / all
      if (vote.from.length < 3) vote.from.push(id)
      byLabel.set(key, vote)
    }
  }
  return [...byLabel.values()]
    .filter(({ share }) => share >= ballot.minScore)
    .map(({ label, share, from }) => ({ label, votes: share + nameBonus(label, ballot), from }))
    .sort((a, b) => b.votes - a.votes || compareTexts(a.label, b.label))
    .map(({ label, votes, from }) => ({ label, score: roundScore(Math.min(1, votes)), from }))
}

function nameBonus(label: string, { words, titleWords }: Ballot): number {
  const labelWords = wordsIn(label.slice(label.lastIndexOf('/') + 1).replace(/[-_]/g, ' ')).map(({ text }) => text)
  const standIn = (textWords: ReadonlySet<string>): boolean =>
    labelWords.every((word) => textWords.has(word) || textWords.has(`${word}s`) || textWords.has(word.replace(/s$/, '')))
  if (labelWords.length === 0 || !standIn(words)) return 0
  return standIn(titleWords) ? IN_TITLE_BONUS : IN_TEXT_BONUS
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(wordsIn(text).map((word) => word.text))
}
