import { RouxError } from '../core/errors.ts'
import type { NodeId } from '../core/ids.ts'
import type { WordHits } from '../core/search.ts'
import type { Scope } from '../core/store.ts'
import { type FusedHit, fuse, type Leg, nearestNotes, type SemanticHit } from '../search/fusion.ts'
import { type EmbedderTraits, keepRelevant, type Relevance } from '../search/relevance.ts'
import type { SnippetQuery } from '../search/words/matches.ts'
import { queryTerms } from '../search/words/query.ts'
import type { Call } from './answer.ts'
import { closeTitles } from './close-titles.ts'
import { traitsFor } from './embedder-traits.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { excerptResponse, MAX_LINKS, metadataResponse, type NodeResponse } from './node-response.ts'
import { type Passage, type PassageQuery, passagesOf } from './passages.ts'
import { noEmbedder, type QuestionVector, tryQuestion } from './question-vector.ts'
import { toScope } from './scope.ts'
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
  /** A title or alias is what was asked. */
  readonly exact: boolean
  /** The title or alias that is spelled nearly so. */
  readonly close_title?: string
}

/** Notes that each leg brings at the most. */
const DEPTH = 1_000
/** Passages that are compared with the question; the best of a note counts. */
const PASSAGES = 200
const NAMES = 50

/**
 * The notes that answer a question, by words and by meaning, with the passages that do.
 * @throws RouxError `PROVIDER_ERROR` for mode `semantic` without an embedder, `NODE_NOT_FOUND` for a scope that is no note.
 */
export function search(core: GraphCore, args: SearchArguments, call: Call = {}): Promise<Answer<readonly SearchResult[]>> {
  return answerFindable(core, call, args.mode === 'keyword' ? 'words' : 'meaning', async () => {
    if (args.mode === 'semantic' && core.embedding === undefined) throw noEmbedder()
    const scope = await scopeOf(core, args)
    const question = args.mode === 'keyword' ? undefined : await tryQuestion(core, args.query, call)
    const warnings = question !== undefined && 'warning' in question ? [question.warning] : []
    if (args.mode === 'semantic' && warnings[0] !== undefined) throw new RouxError('PROVIDER_ERROR', warnings[0].message)
    const asked = question !== undefined && 'vector' in question ? question : undefined
    const { hits, words, traits } = await retrieve(core, args, { scope, question: asked })
    const close = hits[0]?.exact === true ? [] : await closeTitles(core, args.query, scope)
    const ranked = withCloseTitles(keepRelevant(hits, args.relevance), close)
    const shown = ranked.slice(0, args.limit)
    const results = await describe(core, shown, { args, words, question: asked, traits })
    return { value: results, warnings: [...warnings, ...closeWarning(close)] }
  })
}

interface Retrieval {
  readonly hits: readonly FusedHit<NodeId>[]
  readonly words: WordHits
  readonly traits: EmbedderTraits | undefined
}

/** Both legs and their mix, best first. */
async function retrieve(
  core: GraphCore,
  { query, mode }: SearchArguments,
  { scope, question }: { readonly scope: Scope; readonly question: QuestionVector | undefined },
): Promise<Retrieval> {
  const words = mode === 'semantic' ? NO_WORDS : await core.store.words(query, scope, DEPTH)
  const traits = question === undefined ? undefined : await traitsFor(core, question.embedder)
  const semantic = question === undefined ? [] : await nearest(core, question, scope)
  const exact = new Set(mode === 'semantic' ? [] : await exactMatches(core, query, scope))
  const keyword = words.hits.map(({ id, score, matched }) => ({ key: id, score, matched }))
  const weight = core.searchWeight === 'auto' ? (traits?.weight ?? 0) : core.searchWeight
  const certainty = traits === undefined ? undefined : { certainty: traits.certainty }
  return { hits: fuse(keyword, semantic, { weight, exact, ...certainty }), words, traits }
}

const NO_WORDS: WordHits = { hits: [], coverage: 0, terms: [] }

async function nearest(
  core: GraphCore,
  { embedder, vector }: QuestionVector,
  scope: Scope,
): Promise<readonly SemanticHit<NodeId>[]> {
  const passages = await core.store.nearest(embedder.id, vector, scope, PASSAGES)
  const names = await core.store.nearestNames(embedder.id, vector, scope, { limit: NAMES, minimum: 0 })
  const toHit = ({ id, score }: { readonly id: NodeId; readonly score: number }) => ({ key: id, score })
  return nearestNotes(passages.map(toHit), names.map(toHit))
}

async function exactMatches(core: GraphCore, query: string, scope: Scope): Promise<readonly NodeId[]> {
  const typed = query.trim()
  if (typed === '') return []
  const named = await core.store.named(typed, scope)
  return named.map(({ id }) => id)
}

async function scopeOf(core: GraphCore, { folder, tag, note }: SearchArguments): Promise<Scope> {
  const scope = { ...toScope({ folder, tag }), withoutArchived: true }
  if (note === undefined) return scope
  const [id] = await core.store.lookup([note])
  if (id === undefined) {
    throw new RouxError('NODE_NOT_FOUND', `There is no note ${JSON.stringify(note)} to search in.`, {
      hint: 'resolve_nodes finds the ids of notes by their titles.',
    })
  }
  return { ...scope, note: id, withoutArchived: false }
}

interface RankedHit extends FusedHit<NodeId> {
  readonly closeTitle?: string
}

/** Notes whose title is spelled nearly like the question come first: nobody types a title by chance. */
function withCloseTitles(
  hits: readonly FusedHit<NodeId>[],
  close: readonly { readonly id: NodeId; readonly name: string; readonly score: number }[],
): readonly RankedHit[] {
  if (close.length === 0) return hits
  const known = new Map(hits.map((hit) => [hit.key, hit]))
  const first = close.map(({ id, name, score }): RankedHit => {
    const hit = known.get(id) ?? { key: id, score: 0, exact: false, keyword: undefined, semantic: undefined, weight: 0 }
    return { ...hit, score: Math.max(hit.score, score), closeTitle: name }
  })
  const moved = new Set(close.map(({ id }) => id))
  return [...first, ...hits.filter(({ key }) => !moved.has(key))]
}

function closeWarning(close: readonly { readonly id: NodeId; readonly name: string }[]): readonly Warning[] {
  const [best] = close
  if (best === undefined) return []
  return [{ code: 'FALLBACK', message: `No title is exactly that. Did you mean ${JSON.stringify(best.name)} (${best.id})?` }]
}

interface Description {
  readonly args: SearchArguments
  readonly words: WordHits
  readonly question: QuestionVector | undefined
  readonly traits: EmbedderTraits | undefined
}

async function describe(
  core: GraphCore,
  hits: readonly RankedHit[],
  { args, words, question, traits }: Description,
): Promise<readonly SearchResult[]> {
  const nodes = await core.store.nodes(
    hits.map(({ key }) => key),
    { links: MAX_LINKS },
  )
  const marks = marksOf(args.query, words)
  const results = hits.map(async (hit, at): Promise<readonly SearchResult[]> => {
    const node = nodes[at]
    const source = node === undefined ? undefined : await core.store.text(node.id)
    if (node === undefined || source === undefined) return []
    const meaning = await meaningOf(core, node.id, { question, traits })
    const passages = passagesOf(node, source, { words: marks, ...meaning })
    const response = args.includeContent ? excerptResponse(node, CONTENT_LIMITS.list) : metadataResponse(node)
    const explained = args.explain ? { explain: explanationOf(hit) } : undefined
    return [{ ...response, score: round(hit.score), passages, ...explained }]
  })
  return (await Promise.all(results)).flat()
}

/** Rare words mark a passage more than common ones. */
function marksOf(query: string, { terms }: WordHits): SnippetQuery {
  const notes = new Map(terms.map((term) => [term.word, term.notes]))
  return {
    terms: queryTerms(query).map((term) => ({ term, weight: 1 / Math.log2(2 + (notes.get(term.form) ?? 0)) })),
    phrases: [],
  }
}

async function meaningOf(
  core: GraphCore,
  id: NodeId,
  { question, traits }: Pick<Description, 'question' | 'traits'>,
): Promise<Pick<PassageQuery, 'meaning'>> {
  if (question === undefined || traits === undefined) return {}
  const chunks = await core.store.vectors(question.embedder.id, id)
  return { meaning: { question: question.vector, chunks, certainty: traits.certainty, weight: 0.5 } }
}

function explanationOf({ keyword, semantic, weight, exact, closeTitle }: RankedHit): Explanation {
  return {
    keyword: keyword === undefined ? null : roundedLeg(keyword),
    semantic: semantic === undefined ? null : roundedLeg(semantic),
    weight,
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
