import { RouxError } from '../core/errors.ts'
import type { NodeId } from '../core/ids.ts'
import type { ChunkHit, WordHits } from '../core/search.ts'
import type { NameHit, Scope } from '../core/store.ts'
import { type FusedHit, fuse, type Leg, nearestNotes, type SemanticHit } from '../search/fusion.ts'
import { ALL_KNOWN, isKnown, type KnownShare, knownShare } from '../search/known-share.ts'
import { type EmbedderTraits, keepRelevant, type Relevance } from '../search/relevance.ts'
import type { SnippetQuery } from '../search/words/matches.ts'
import { queryTerms } from '../search/words/query.ts'
import type { Call } from './answer.ts'
import { closeTitles } from './close-titles.ts'
import { traitsFor } from './embedder-traits.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { excerptResponse, MAX_LINKS, metadataResponse, type NodeResponse } from './node-response.ts'
import { type Meaning, type Passage, passagesOf } from './passages.ts'
import { noEmbedder, type QuestionVector, tryQuestion, unknownWarning } from './question-vector.ts'
import { readableSource } from './readable-source.ts'
import { toScope, WITH_TEXT } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'
import { readNotes, unreadWarnings } from './texts.ts'
import { CONTENT_LIMITS } from './truncate.ts'

export interface SearchArguments {
  readonly query: string
  readonly limit: number
  readonly includeContent: boolean
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  /** Only this note: its passages. */
  readonly note?: string | undefined
  readonly relevance: Relevance
  readonly mode: 'hybrid' | 'keyword' | 'semantic'
  readonly explain: boolean
}

export interface SearchResult extends NodeResponse {
  /** 0–1; compares between questions to one embedder. */
  readonly score: number
  readonly passages: readonly Passage[]
  readonly explain?: Explanation
}

/** Why a note is where it is. */
export interface Explanation {
  readonly keyword: Leg | null
  readonly semantic: Leg | null
  /** What meaning counted, 0–1. */
  readonly weight: number
  /** How much of the question the embedder knows, 0–1, where it can tell. */
  readonly coverage?: number
  /** A title or alias is what was asked. */
  readonly exact: boolean
  /** The title or alias that is spelled nearly so. */
  readonly close_title?: string
}

/** Notes that each leg brings at the most. */
const DEPTH = 1_000
/** Passages that are compared with the question; the best of a note counts. */
const PASSAGES = 200
const MOST_PASSAGES = 16 * PASSAGES
/** Fewer notes than these say little of which are near. */
const FEWEST_NOTES = 50
const NAMES = 50
/** Notes with the question's words whose names tell what language they are in. */
const SAMPLED_NOTES = 10

/**
 * The notes that answer a question, by words and by meaning, with the passages that do.
 * @throws RouxError `PROVIDER_ERROR` for mode `semantic` without an embedder, `NODE_NOT_FOUND` for a scope that is no note.
 */
export function search(core: GraphCore, args: SearchArguments, given: Call = {}): Promise<Answer<readonly SearchResult[]>> {
  return whenFindable(core, args, given, async (call) => {
    const { hits, warnings, ...found } = await rank(core, args, call)
    const described = await describe(core, hits, { args, ...found })
    const said = [...warnings, ...described.warnings]
    return { value: described.value, warnings: hits.length === 0 ? [...(await scopeWarnings(core, args)), ...said] : said }
  })
}

/**
 * The ids of what `search` answers, in its order, without reading the notes; `limit` is bounded by the index alone.
 * @throws RouxError as `search` does.
 */
export function rankNotes(core: GraphCore, args: SearchArguments, given: Call = {}): Promise<Answer<readonly NodeId[]>> {
  return whenFindable(core, args, given, async (call) => {
    const { hits, warnings } = await rank(core, args, call)
    return { value: hits.map(({ key }) => key), warnings }
  })
}

function whenFindable<T>(
  core: GraphCore,
  { mode }: SearchArguments,
  call: Call,
  run: (call: Call) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  return answerFindable(core, call, mode === 'keyword' ? 'words' : 'meaning', run)
}

interface Ranked extends Pick<Description, 'words' | 'question' | 'traits' | 'known'> {
  readonly hits: readonly RankedHit[]
  readonly warnings: readonly Warning[]
}

async function rank(core: GraphCore, args: SearchArguments, call: Call): Promise<Ranked> {
  const { mode, query, relevance } = args
  if (mode === 'semantic' && core.embedding === undefined) throw noEmbedder()
  const scope = await scopeOf(core, args)
  const asked = mode === 'keyword' ? undefined : await tryQuestion(core, query, call)
  const warnings = asked !== undefined && 'warning' in asked ? [asked.warning] : []
  if (mode === 'semantic' && warnings[0] !== undefined) throw new RouxError('PROVIDER_ERROR', warnings[0].message)
  const question = asked !== undefined && 'vector' in asked ? asked : undefined
  const { hits, words, traits, known } = await retrieve(core, args, { scope, question })
  const kept = keepRelevant(hits, relevance, traits === undefined ? 0 : known.certainty)
  const isAnswered = mode === 'semantic' || hits[0]?.exact === true
  const close = isAnswered ? [] : await closeTitles(core, query, scope)
  const ranked = withCloseTitles(kept, shownTitles(close, kept, relevance), { after: answeredByWords(kept, words) })
  const isUnknown = mode === 'semantic' && query.trim() !== '' && (question === undefined || known.order === 0)
  const unknown = isUnknown ? [unknownWarning('the question')] : []
  return {
    hits: ranked.slice(0, args.limit),
    words,
    traits,
    known,
    question,
    warnings: [...warnings, ...unknown, ...closeWarning(close)],
  }
}

interface Retrieval {
  readonly hits: readonly FusedHit<NodeId>[]
  readonly words: WordHits
  readonly traits: EmbedderTraits | undefined
  readonly known: KnownShare
}

/** Both legs and their mix, best first. */
async function retrieve(
  core: GraphCore,
  { query, mode }: SearchArguments,
  { scope, question }: { readonly scope: Scope; readonly question: QuestionVector | undefined },
): Promise<Retrieval> {
  const words = mode === 'semantic' ? NO_WORDS : await core.store.words(query, scope, DEPTH)
  const traits = question === undefined ? undefined : await traitsFor(core, question.embedder)
  const known = question === undefined ? ALL_KNOWN : await knownOf(core, question, { query, words })
  const semantic = question === undefined || known.order === 0 ? [] : await nearest(core, question, scope)
  const exact = new Set(mode === 'semantic' ? [] : await exactMatches(core, query, scope))
  const keyword = words.hits.map(({ id, score, matched }) => ({ key: id, score, matched }))
  const weight = core.searchWeight === 'auto' ? (traits?.weight ?? 0) : core.searchWeight
  const certainty = traits === undefined ? undefined : { certainty: traits.certainty }
  return { hits: fuse(keyword, semantic, { weight, exact, known, ...certainty }), words, traits, known }
}

/** How much of the question, and of the names of the notes that words find, the embedder knows. */
async function knownOf(
  core: GraphCore,
  { embedder }: QuestionVector,
  { query, words }: { readonly query: string; readonly words: WordHits },
): Promise<KnownShare> {
  if (embedder.coverage === undefined) return ALL_KNOWN
  const question = embedder.coverage(query)
  if (words.hits.length === 0 || !isKnown(question)) return knownShare(question, undefined)
  const ids = words.hits.slice(0, SAMPLED_NOTES).map(({ id }) => id)
  const nodes = await core.store.nodes(ids, { links: 0 })
  const names = nodes.flatMap((node) => (node === undefined ? [] : [node.title, ...node.aliases]))
  return knownShare(question, embedder.coverage(names.join('\n')))
}

const NO_WORDS: WordHits = { hits: [], coverage: 0, terms: [] }

async function nearest(
  core: GraphCore,
  { embedder, vector }: QuestionVector,
  scope: Scope,
): Promise<readonly SemanticHit<NodeId>[]> {
  const passages = await nearestPassages((limit) => core.store.nearest(embedder.id, vector, scope, limit))
  const names = await core.store.nearestNames(embedder.id, vector, scope, { limit: NAMES, minimum: 0 })
  const toHit = ({ id, score }: { readonly id: NodeId; readonly score: number }) => ({ key: id, score })
  return nearestNotes(passages.map(toHit), names.map(toHit))
}

/** The passages of one long note may be more than are compared at first. */
async function nearestPassages(nearest: (limit: number) => Promise<readonly ChunkHit[]>): Promise<readonly ChunkHit[]> {
  for (let limit = PASSAGES; ; limit *= 4) {
    const hits = await nearest(limit)
    if (hits.length < limit || limit >= MOST_PASSAGES || new Set(hits.map(({ id }) => id)).size >= FEWEST_NOTES) return hits
  }
}

async function exactMatches(core: GraphCore, query: string, scope: Scope): Promise<readonly NodeId[]> {
  const typed = query.trim()
  if (typed === '') return []
  const equal = await core.store.named(typed, scope)
  const named = equal.length > 0 ? equal : await core.store.namedPlainly(typed, scope)
  return [...named.map(({ id }) => id), ...(await notesWithId(core, typed, scope))]
}

/** The note of the scope with this id, if there is one. */
async function notesWithId(core: GraphCore, typed: string, scope: Scope): Promise<readonly NodeId[]> {
  const [id] = await core.store.lookup([typed])
  if (id === undefined || (scope.note !== undefined && scope.note !== id)) return []
  const { items } = await core.store.select({ ...scope, note: id }, { offset: 0, limit: 1 })
  return items.map((item) => item.id)
}

async function scopeOf(core: GraphCore, { folder, tag, note }: SearchArguments): Promise<Scope> {
  const scope = { ...toScope({ folder, tag, kinds: WITH_TEXT }), withoutArchived: true }
  if (note === undefined) return scope
  const [id] = await core.store.lookup([note])
  const [node] = id === undefined ? [] : await core.store.nodes([id], { links: 0 })
  if (id === undefined || node?.kind !== 'note') {
    throw new RouxError('NODE_NOT_FOUND', `There is no note ${JSON.stringify(note)} to search in.`, {
      hint: 'resolve_nodes finds the ids of notes by their titles.',
    })
  }
  return { ...scope, note: id, withoutArchived: false }
}

interface RankedHit extends FusedHit<NodeId> {
  readonly closeTitle?: string
}

/** A note with this share of the question's weight has all of its words. */
const ALL_WORDS = 0.999
/** One or two words that are in use may well be meant as they are, but many notes have them: so many of these stay in front. */
const FEW_WORDS = 2
const SPELLED_FIRST = 2

/** How many of the first hits stay before those with a close title: who has all of the words may be what is meant as it is typed. */
function answeredByWords(hits: readonly FusedHit<NodeId>[], { hits: found, terms }: WordHits): number {
  if (terms.length <= FEW_WORDS) return terms.length > 0 && terms.every(({ notes }) => notes > 0) ? SPELLED_FIRST : 0
  const full = new Set(found.filter(({ matched }) => matched >= ALL_WORDS).map(({ id }) => id))
  return hits.findLastIndex(({ key }) => full.has(key)) + 1
}

/** `strict` shows what answers, and a title may be spelled nearly so without that: it is only told then. */
function shownTitles(close: readonly NameHit[], kept: readonly FusedHit<NodeId>[], relevance: Relevance): readonly NameHit[] {
  if (relevance !== 'strict' || close.length === 0) return close
  const keys = new Set(kept.map(({ key }) => key))
  return close.filter(({ id }) => keys.has(id))
}

/**
 * Puts the notes whose title is spelled nearly like the question in front, or after the first ones; those among the first stay where they
 * are. Scores stay in order, and none becomes less.
 */
function withCloseTitles(
  hits: readonly FusedHit<NodeId>[],
  close: readonly NameHit[],
  { after }: { readonly after: number },
): readonly RankedHit[] {
  if (close.length === 0) return hits
  const names = new Map(close.map(({ id, name }) => [id, name]))
  const toTitled = (hit: FusedHit<NodeId>): RankedHit => {
    const closeTitle = names.get(hit.key)
    return closeTitle === undefined ? hit : { ...hit, closeTitle }
  }
  const first = hits.slice(0, after)
  const others = hits.slice(after)
  const isFirst = new Set(first.map(({ key }) => key))
  const rest = others.filter(({ key }) => !names.has(key))
  const highest = first.at(-1)?.score ?? 1
  const known = new Map(others.map((hit) => [hit.key, hit]))
  let least = rest[0]?.score ?? 0
  const titled = close
    .filter(({ id }) => !isFirst.has(id))
    .toReversed()
    .map(({ id, score }): RankedHit => {
      const hit = known.get(id) ?? { key: id, score: 0, exact: false, keyword: undefined, semantic: undefined, weight: 0 }
      least = Math.min(highest, Math.max(least, hit.score, score))
      return toTitled({ ...hit, score: least })
    })
  return [...first.map(toTitled), ...titled.toReversed(), ...rest]
}

function closeWarning(close: readonly NameHit[]): readonly Warning[] {
  const [best] = close
  if (best === undefined) return []
  return [{ code: 'FALLBACK', message: `No title is exactly that. Did you mean ${JSON.stringify(best.name)} (${best.id})?` }]
}

interface Description {
  readonly args: SearchArguments
  readonly words: WordHits
  readonly question: QuestionVector | undefined
  readonly traits: EmbedderTraits | undefined
  readonly known: KnownShare
}

async function describe(
  core: GraphCore,
  hits: readonly RankedHit[],
  { args, words, question, traits, known }: Description,
): Promise<Answer<readonly SearchResult[]>> {
  const ids = hits.map(({ key }) => key)
  const { notes, unread } = await readNotes(core, ids, { links: MAX_LINKS })
  const marks = marksOf(args.query, words)
  const meaning = meaningOf({ question, traits, known })
  const coverage = args.explain ? question?.embedder.coverage?.(args.query).meaning : undefined
  // By words alone too: the notes need not be cut into passages again.
  const embedder = question?.embedder.id ?? (await core.store.vectorStates())[0]?.embedder
  const results = hits.map(async (hit, at): Promise<readonly SearchResult[]> => {
    const note = notes[at]
    if (note === undefined) return []
    const { node, source } = note
    const stored = embedder === undefined || source === undefined ? undefined : await core.store.vectors(embedder, node.id)
    const found = source === undefined ? [] : passagesOf(node, readableSource(node, source), { words: marks, stored, meaning })
    // Between the cards of a canvas stands nothing that is shown.
    const passages =
      node.kind === 'canvas' ? found.map((each) => ({ ...each, text: each.text.trim().replace(/ {2,}/g, ' ') })) : found
    const response = args.includeContent ? excerptResponse(node, CONTENT_LIMITS.list) : metadataResponse(node)
    const explained = args.explain ? { explain: explanationOf(hit, coverage) } : undefined
    return [{ ...response, score: round(hit.score), passages, ...explained }]
  })
  return { value: (await Promise.all(results)).flat(), warnings: unreadWarnings(unread) }
}

/** Rare words mark a passage more than common ones. */
function marksOf(query: string, { terms }: WordHits): SnippetQuery {
  const notes = new Map(terms.map((term) => [term.word, term.notes]))
  return {
    terms: queryTerms(query).map((term) => ({ term, weight: 1 / Math.log2(2 + (notes.get(term.form) ?? 0)) })),
    phrases: [],
  }
}

/** What meaning counts in a passage where all is known: as much as words. */
const PASSAGE_WEIGHT = 0.5

function meaningOf({ question, traits, known }: Pick<Description, 'question' | 'traits' | 'known'>): Meaning | undefined {
  if (question === undefined || traits === undefined || known.order === 0) return undefined
  return { question: question.vector, certainty: traits.certainty, weight: known.order * PASSAGE_WEIGHT }
}

function explanationOf({ keyword, semantic, weight, exact, closeTitle }: RankedHit, coverage: number | undefined): Explanation {
  return {
    keyword: keyword === undefined ? null : roundedLeg(keyword),
    semantic: semantic === undefined ? null : roundedLeg(semantic),
    weight: round(weight),
    ...(coverage === undefined ? undefined : { coverage: round(coverage) }),
    exact,
    ...(closeTitle === undefined ? undefined : { close_title: closeTitle }),
  }
}

function roundedLeg({ rank, score, normalised }: Leg): Leg {
  return { rank, score: round(score), normalised: round(normalised) }
}

function round(score: number): number {
  return Number(score.toFixed(4))
}
