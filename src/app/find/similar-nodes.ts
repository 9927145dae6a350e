import type { Embedder } from '../../core/embedder.ts'
import type { NodeId } from '../../core/ids.ts'
import { type Insight, type LatestInsight, NO_NOTE, noteNumber } from '../../core/insight/insight.ts'
import type { ChunkHit } from '../../core/search.ts'
import { ALL, type Scope, type Snapshot } from '../../core/store.ts'
import { magnitudeOf } from '../../core/vectors.ts'
import { languageOf, languagesInUse } from '../../search/languages/language-of.ts'
import { knowsLanguage, knowsLanguageOf, MIN_SCORE, type Relevance } from '../../search/relevance.ts'
import {
  answerFindable,
  answerInSteps,
  type Call,
  type PageArguments,
  pageFor,
  type Read,
  timeLeft,
} from '../answer/answer-when-ready.ts'
import { type ListedNode, linksShown, listResponses, MAX_SHOWN_SIMILARITY, roundScore } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, readTexts, unreadWarnings } from '../read/texts.ts'
import { toAnsweringScope } from '../scope.ts'
import { knownTraits } from './embedder-traits.ts'
import { unknownWarning } from './question-vector.ts'
import { MAX_PASSAGES, PASSAGES, type SearchArguments } from './search.ts'

export interface SimilarArguments extends PageArguments, Pick<SearchArguments, 'folder' | 'tag' | 'relevance' | 'links'> {
  /** The note as an id, a unique title or a unique alias. */
  readonly id: string
  readonly excludeLinked: boolean
}

export interface SimilarNode extends ListedNode {
  /** A score from 0 to 1 that can be compared between notes of one vault. */
  readonly score: number
}

/** The threshold applies to the part of the vectors that all languages share. */
const MIN_COSINE_ACROSS = 0.45
const MAX_NEIGHBORS = 64
/** Notes without distinctive words in common get at most this score, which `normal` excludes. */
const MAX_UNRELATED_SCORE = 0.06
/** A note with fewer distinctive words than this gets a warning. */
const FEW_WORDS = 10
/** The timeout in milliseconds if vectors can answer instead. */
const INSIGHT_TIMEOUT = 500
/**
 * The thresholds were tuned on obsidian-hub: of the linked notes in the top five, `normal` excludes 5% and `strict` excludes a
 * third.
 */
export const MIN_SIMILARITY: Readonly<Record<Relevance, number>> = { strict: 0.2, normal: 0.08, loose: 0.03 }

/** Ranks notes by distinctive words, then by vectors. All vectors are stored ones, so no model is needed. */
export function similarNodes(
  core: GraphCore,
  args: SimilarArguments,
  caller: Call = {},
): Promise<Answer<readonly SimilarNode[]>> {
  const run = async (read: Read, call: Call): Promise<Answer<readonly SimilarNode[]>> => {
    const insightRun = await insightFor(core, call)
    return await read((snapshot) => similarIn({ core, snapshot, call }, args, insightRun))
  }
  return core.embedding === undefined ? answerInSteps(core, caller, run) : answerFindable(core, caller, 'meaning', run)
}

/** Waits for the insight, but only briefly if vectors can answer instead. A command always waits, because it runs only once. */
async function insightFor(core: GraphCore, call: Call): Promise<LatestInsight | undefined> {
  const canWait = core.embedding === undefined || core.indexing.status().watch === 'off'
  try {
    return await core.insights.follow({
      wait: canWait ? timeLeft(call) : Math.min(INSIGHT_TIMEOUT, timeLeft(call)),
      signal: call.signal,
    })
  } catch (error) {
    call.signal?.throwIfAborted()
    if (core.embedding === undefined) throw error
    return undefined
  }
}

async function similarIn(
  reading: ReadingContext,
  args: SimilarArguments,
  insightRun: LatestInsight | undefined,
): Promise<Answer<readonly SimilarNode[]>> {
  const { ids, warnings } = await findNamed(reading.snapshot, reading.core, [args.id])
  const [id] = ids
  if (id === undefined) return { value: [], warnings }
  const similar = await similarTo(reading, args, { id, followed: insightRun })
  return { ...similar, warnings: [...warnings, ...similar.warnings] }
}

async function similarTo(
  reading: ReadingContext,
  args: SimilarArguments,
  { id, followed: insightRun }: { readonly id: NodeId; readonly followed: LatestInsight | undefined },
): Promise<Answer<readonly SimilarNode[]>> {
  const { snapshot, call } = reading
  const note = insightRun === undefined ? undefined : noteNumber(insightRun.insight, id)
  if (insightRun === undefined || note === undefined)
    return await similarByMeaning(reading, args, { id, isComparing: insightRun === undefined })
  const out = new Set<NodeId>([id, ...(args.excludeLinked ? await linkedWith(snapshot, id) : [])])
  const page = pageFor(args, call)
  const limit = page.offset + page.limit + 1
  const near = neighborsOf(insightRun.insight, note)
  const minScore = MIN_SIMILARITY[args.relevance]
  const [worded, foreign] = await Promise.all([
    inScope(
      snapshot,
      scopeOf(args),
      near.filter((hit) => hit.score >= minScore && !out.has(hit.id)),
    ),
    similarInOtherLanguages(reading, args, { id, out, limit }),
  ])
  const relevant = byScore([...worded, ...foreign.hits.filter(({ score }) => score >= minScore)])
  const listed = new Set([...out, ...near.map((hit) => hit.id), ...foreign.hits.map((hit) => hit.id)])
  const rest = await hitsByMeaning(reading, args, {
    id,
    near,
    neighborsKept: insightRun.insight.nearest.kept,
    out: listed,
    limit,
  })
  const hits = [...relevant, ...rest.hits.filter(({ score }) => score >= minScore)]
  const isAll = foreign.isAll && (rest.isAll || (rest.hits.at(-1)?.score ?? minScore) < minScore)
  const warnings = warningsOf(insightRun, note)
  return await listSimilar(reading, args, { hits, isAll, warnings })
}

type Hit = Pick<ChunkHit, 'id' | 'score'>

function neighborsOf({ ids, nearest: { kept, notes, scores } }: Insight, note: number): readonly Hit[] {
  const scoreByNote = new Map<number, number>()
  for (let at = note * kept; at < (note + 1) * kept && notes[at] !== NO_NOTE; at++)
    scoreByNote.set(notes[at] as number, scores[at] as number)
  for (let at = notes.indexOf(note); at !== -1; at = notes.indexOf(note, at + 1))
    scoreByNote.set(Math.floor(at / kept), scores[at] as number)
  return [...scoreByNote]
    .sort(([a, score], [b, other]) => other - score || a - b)
    .slice(0, MAX_NEIGHBORS)
    .map(([other, score]) => ({ id: ids[other] as NodeId, score }))
}

async function inScope(snapshot: Snapshot, scope: Scope, hits: readonly Hit[]): Promise<readonly Hit[]> {
  if (hits.length === 0) return []
  const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
  const { items } = await snapshot.find({ kind: 'among', nodes: hits.map(({ id }) => id) }, { scope, order }, ALL)
  const present = new Set(items.map(({ id }) => id))
  return hits.filter(({ id }) => present.has(id))
}

function scopeOf({ folder, tag }: Pick<SimilarArguments, 'folder' | 'tag'>): Scope {
  return toAnsweringScope({ folder, tag }, '')
}

function warningsOf({ insight, isCurrent }: LatestInsight, note: number): readonly Warning[] {
  const warnings: Warning[] = []
  const words = insight.ownWords[note] ?? 0
  const id = insight.ids[note] as NodeId
  if (!isCurrent) {
    warnings.push({ code: 'STALE', message: 'The vault has changed since words were compared; newer scores are being computed.' })
  }
  if (insight.unread.includes(id)) warnings.push(...unreadWarnings([id]))
  else if (words < FEW_WORDS) {
    const amount = words === 0 ? 'no text' : `only ${words} ${words === 1 ? 'word' : 'words'}`
    const message = `${quoted(id)} has ${amount} of its own apart from lines that many notes share, so its similar notes are based on little more than its name.`
    warnings.push({ code: 'NOTICE', message })
  }
  return warnings
}

interface MeaningRequest extends NearRequest {
  readonly near: readonly Hit[]
  readonly neighborsKept: number
}

interface MeaningHits {
  readonly hits: readonly Hit[]
  readonly isAll: boolean
}

async function hitsByMeaning(
  reading: ReadingContext,
  args: SimilarArguments,
  { id, near, neighborsKept, out, limit }: MeaningRequest,
): Promise<MeaningHits> {
  const last = near.length < neighborsKept ? MAX_UNRELATED_SCORE : (near.at(-1)?.score ?? MAX_UNRELATED_SCORE)
  if (reading.core.embedding === undefined || last < MIN_SIMILARITY[args.relevance]) return { hits: [], isAll: true }
  const result = await nearByMeaning(reading, args, { id, out, limit })
  return 'warning' in result
    ? { hits: [], isAll: true }
    : { ...result, hits: result.hits.map(({ id: other, score }) => ({ id: other, score: score * last })) }
}

function byScore(hits: readonly Hit[]): readonly Hit[] {
  const best = new Map<NodeId, Hit>()
  for (const hit of hits) if (hit.score > (best.get(hit.id)?.score ?? -1)) best.set(hit.id, hit)
  return [...best.values()].sort((a, b) => b.score - a.score)
}

/** Returns similar notes in other languages, which share few words. A translation scores about 0.4. */
export async function similarInOtherLanguages(
  reading: ReadingContext,
  args: Pick<SimilarArguments, 'folder' | 'tag'>,
  { id, out, limit }: NearRequest,
): Promise<MeaningHits> {
  const { core, snapshot } = reading
  if (core.embedding === undefined) return NONE
  const { codes, notes } = await snapshot.languages([id])
  const [ownLanguage] = codes
  const inUse = languagesInUse(notes)
  if (ownLanguage === undefined || inUse.every((code) => code === ownLanguage)) return NONE
  const embedder = await servingVectors(snapshot)
  if (embedder === undefined) return NONE
  const formerEmbedder = await openedFormer(reading, embedder)
  const from = formerEmbedder?.acrossFrom
  const [stored] = await snapshot.vectors(embedder, [id])
  if (from === undefined || stored === undefined || !knowsLanguage(formerEmbedder?.languages, ownLanguage)) return NONE
  const center = centerOf(stored.chunks.map(({ vector }) => vector.map((value, at) => (at < from ? 0 : value))))
  if (center === undefined) return NONE
  const other = new Set<string | undefined>(
    inUse.filter((code) => code !== ownLanguage && knowsLanguage(formerEmbedder?.languages, code)),
  )
  // Only half of each vector is compared, which lowers cosines by a factor of √½.
  const minCosine = MIN_COSINE_ACROSS * Math.SQRT1_2
  const nearest = nearestTo(reading, args, { embedder, center })
  const foreignOnly = async (hits: readonly ChunkHit[]) => {
    const { codes: hitLanguages } = await snapshot.languages(hits.map((hit) => hit.id))
    return hits.filter((hit, at) => hit.score > minCosine && other.has(hitLanguages[at]))
  }
  const { cosines, isAll } = await nearestOthers(nearest, {
    out,
    limit,
    minCosine,
    keep: foreignOnly,
    maxPassages: MAX_PASSAGES,
  })
  return {
    hits: [...cosines].map(([near, cosine]) => ({ id: near, score: (cosine - minCosine) / (Math.SQRT1_2 - minCosine) })),
    isAll,
  }
}

const NONE: MeaningHits = { hits: [], isAll: true }

async function similarByMeaning(
  reading: ReadingContext,
  args: SimilarArguments,
  { id, isComparing }: { readonly id: NodeId; readonly isComparing: boolean },
): Promise<Answer<readonly SimilarNode[]>> {
  const { core, snapshot, call } = reading
  if (core.embedding === undefined) return { value: [], warnings: [await notComparedWarning(snapshot, id, isComparing)] }
  const page = pageFor(args, call)
  const out = new Set<NodeId>([id, ...(args.excludeLinked ? await linkedWith(snapshot, id) : [])])
  const limit = page.offset + page.limit + 1
  const [result, foreign] = await Promise.all([
    nearByMeaning(reading, args, { id, out, limit }),
    similarInOtherLanguages(reading, args, { id, out, limit }),
  ])
  if ('warning' in result) return { value: [], warnings: [result.warning] }
  const hits = byScore([...result.hits, ...foreign.hits]).filter(({ score }) => score >= MIN_SCORE[args.relevance])
  return await listSimilar(reading, args, {
    hits,
    isAll: result.isAll && foreign.isAll,
    warnings: [isComparing ? COMPARING_WARNING : notAmongThemWarning(id)],
  })
}

const COMPARING_WARNING: Warning = {
  code: 'FALLBACK',
  message:
    'The words of all notes are still being compared, so this answer uses meaning alone. Ask again in a moment for a better one.',
}

function notAmongThemWarning(id: NodeId): Warning {
  const message = `The words of ${quoted(id)} were not compared: it is new, hidden, not a note, or excluded by insight.ignore. This answer uses meaning alone.`
  return { code: 'FALLBACK', message }
}

async function notComparedWarning(snapshot: Snapshot, id: NodeId, isComparing: boolean): Promise<Warning> {
  const [kind] = await snapshot.kinds([id])
  if (kind !== 'note') return { code: 'UNKNOWN_ID', message: `${quoted(id)} is not a note, and only notes are compared.` }
  if (isComparing)
    return { code: 'INDEX_BUILDING', message: 'The words of all notes are still being compared. Ask again in a moment.' }
  const message = `${quoted(id)} is not compared with other notes: it is new, hidden, or excluded by insight.ignore.`
  return { code: 'FALLBACK', message }
}

interface FoundHits extends MeaningHits {
  readonly warnings: readonly Warning[]
}

async function listSimilar(
  { snapshot, call }: ReadingContext,
  args: SimilarArguments,
  { hits, isAll, warnings }: FoundHits,
): Promise<Answer<readonly SimilarNode[]>> {
  const page = pageFor(args, call)
  const pageHits = hits.slice(page.offset, page.offset + page.limit)
  const scores = new Map(pageHits.map(({ id, score }) => [id, score]))
  const ids = pageHits.map(({ id }) => id)
  const nodes = await listResponses(snapshot, ids, { shown: 'metadata', links: linksShown(args.links, call) })
  const value = nodes.map((node) => ({ ...node, score: roundScore(Math.min(MAX_SHOWN_SIMILARITY, scores.get(node.id) ?? 0)) }))
  const { folder, tag } = args
  const emptyNotices = hits.length === 0 ? await scopeWarnings(snapshot, { folder, tag }) : []
  const list = { offset: page.offset, shown: ids.length, count: hits.length, counted: isAll ? 'relevant' : 'part' } as const
  return { value, warnings: [...warnings, ...emptyNotices], list }
}

interface NearRequest {
  readonly id: NodeId
  readonly out: ReadonlySet<NodeId>
  readonly limit: number
}

/** Ranks notes by their distance from the centroid of a note, with scores of 0–1. */
async function nearByMeaning(
  reading: ReadingContext,
  args: SimilarArguments,
  { id, out, limit }: NearRequest,
): Promise<Omit<FoundHits, 'warnings'> | { readonly warning: Warning }> {
  const { core, snapshot } = reading
  const embedder = await servingVectors(snapshot)
  const [stored] = embedder === undefined ? [] : await snapshot.vectors(embedder, [id])
  const center = centerOf(stored?.chunks.map(({ vector }) => vector) ?? [])
  if (embedder === undefined || center === undefined) return { warning: await noVectorsWarning(snapshot, id) }
  if (await isUnknown(reading, embedder, id)) return { warning: unknownWarning(quoted(id)) }
  const { low, high } = knownTraits(core, embedder).certainty
  const minCosine = Math.max(low, low + MIN_SCORE[args.relevance] * (high - low))
  const nearest = nearestTo(reading, args, { embedder, center })
  const { cosines, isAll } = await nearestOthers(nearest, { out, limit, minCosine })
  const hits = [...cosines].map(([other, cosine]) => ({
    id: other,
    score: Math.max(0, Math.min(1, (cosine - low) / (high - low))),
  }))
  return { hits, isAll }
}

/** Returns the embedder that has embedded the most notes. In a tie, the newest one is used. */
export async function servingVectors(snapshot: Snapshot): Promise<string | undefined> {
  const states = await snapshot.vectorStates()
  const maxNotes = Math.max(...states.map(({ notes }) => notes))
  return states.find(({ notes }) => notes === maxNotes)?.embedder
}

async function noVectorsWarning(snapshot: Snapshot, id: NodeId): Promise<Warning> {
  const [node] = await snapshot.nodes([id], { links: 0 })
  if (node?.kind !== 'note') return { code: 'UNKNOWN_ID', message: `${quoted(id)} is not a note, and only notes have vectors.` }
  return { code: 'FALLBACK', message: `${quoted(id)} has no vectors yet, so it cannot be compared with other notes.` }
}

interface Center {
  readonly embedder: string
  readonly center: Float32Array
}

function nearestTo({ snapshot }: ReadingContext, args: Pick<SimilarArguments, 'folder' | 'tag'>, { embedder, center }: Center) {
  return async (limit: number): Promise<readonly ChunkHit[]> =>
    (await snapshot.nearest(embedder, [center], scopeOf(args), limit))[0] ?? []
}

async function openedFormer({ core }: ReadingContext, embedder: string): Promise<Embedder | undefined> {
  return await core.embedding?.openFormer(embedder).catch(() => undefined)
}

async function isUnknown(reading: ReadingContext, embedder: string, id: NodeId): Promise<boolean> {
  const formerEmbedder = await openedFormer(reading, embedder)
  if (formerEmbedder?.languages === undefined) return false
  const source = (await readTexts(reading, [id])).texts.get(id)
  return source !== undefined && !knowsLanguageOf(formerEmbedder.languages, languageOf(source.text, reading.core.languages))
}

interface OthersRequest {
  readonly out: ReadonlySet<NodeId>
  readonly limit: number
  readonly minCosine: number
  readonly keep?: (hits: readonly ChunkHit[]) => Promise<readonly ChunkHit[]>
  readonly maxPassages?: number
}

interface Nearest {
  readonly cosines: ReadonlyMap<NodeId, number>
  readonly isAll: boolean
}

/** Ranks notes by their nearest passage. If one long note dominates the results, more passages are fetched. */
async function nearestOthers(
  nearest: (limit: number) => Promise<readonly ChunkHit[]>,
  { out, limit: wanted, minCosine, keep, maxPassages = Number.POSITIVE_INFINITY }: OthersRequest,
): Promise<Nearest> {
  for (let limit = PASSAGES; ; limit *= 4) {
    const hits = await nearest(limit)
    const best = new Map<NodeId, number>()
    for (const { id, score } of keep === undefined ? hits : await keep(hits))
      if (!out.has(id) && !best.has(id)) best.set(id, score)
    const isAll = hits.length < limit || (hits.at(-1)?.score ?? minCosine) < minCosine
    if (isAll || best.size >= wanted || limit >= maxPassages) return { cosines: best, isAll }
  }
}

async function linkedWith(snapshot: Snapshot, id: NodeId): Promise<readonly NodeId[]> {
  return (await snapshot.neighbors(id, { direction: 'both' }, ALL)).items
}

export function centerOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors
  if (first === undefined) return undefined
  const sum = new Float32Array(first.length)
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  const length = magnitudeOf(sum)
  return length === 0 ? undefined : sum.map((value) => value / length)
}

export interface SimilarPair {
  readonly source: NodeId
  readonly target: NodeId
  readonly score: number
}

export function* similarPairs({ ids, nearest: { kept, notes, scores } }: Insight): Generator<SimilarPair> {
  for (let note = 0; note < ids.length; note++) {
    for (let at = note * kept; at < (note + 1) * kept && notes[at] !== NO_NOTE; at++) {
      const other = notes[at] as number
      const score = scores[at] as number
      if (score < MIN_SIMILARITY.normal) continue
      // Two notes that are each other's neighbors would otherwise be returned twice.
      if (other < note && notes.subarray(other * kept, (other + 1) * kept).includes(note)) continue
      yield {
        source: ids[Math.min(note, other)] as NodeId,
        target: ids[Math.max(note, other)] as NodeId,
        score: roundScore(score),
      }
    }
  }
}
