import type { Embedder } from '../../core/embedder.ts'
import type { NodeId } from '../../core/ids.ts'
import { type Followed, type Insight, NO_NOTE, noteNumber } from '../../core/insight/insight.ts'
import type { ChunkHit } from '../../core/search.ts'
import { ALL, type Scope, type Snapshot } from '../../core/store.ts'
import { magnitudeOf } from '../../core/vectors.ts'
import { languageOf, languagesInUse } from '../../search/languages/language-of.ts'
import { isKnownTo, knowsLanguage, MIN_SCORE, type Relevance } from '../../search/relevance.ts'
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
import { type Reading, readTexts, unreadWarnings } from '../read/texts.ts'
import { toAnsweringScope } from '../scope.ts'
import { knownTraits } from './embedder-traits.ts'
import { unknownWarning } from './question-vector.ts'

export interface SimilarArguments extends PageArguments {
  /** An id, or a title or alias that belongs to only one note. */
  readonly id: string
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  readonly relevance: Relevance
  readonly excludeLinked: boolean
  /** Number of links shown per note. */
  readonly links?: number | undefined
}

export interface SimilarNode extends ListedNode {
  /** 0–1. Comparable between notes of the same vault. */
  readonly score: number
}

/** Number of passages compared at first. Each note is ranked by its best passage. */
const PASSAGES = 200
const MAX_PASSAGES = 16 * PASSAGES
/** Minimum cosine of similar notes in other languages, using only the part of the vectors that all languages share. */
const MIN_COSINE_ACROSS = 0.45
/** Maximum number of neighbors by words. Notes farther away are rarely similar. */
const MAX_NEIGHBORS = 64
/** Maximum score of a note without distinctive words in common. `normal` excludes such notes. */
const MAX_UNRELATED_SCORE = 0.06
/** Warn about notes with fewer distinctive words than this. */
const FEW_WORDS = 10
/** How long a server waits for the comparison of words if it can use vectors instead, in milliseconds. */
const INSIGHT_TIMEOUT = 500
/**
 * Minimum score for each preset when words are compared. Of linked notes in the top five, `normal` excludes 5 in 100 in
 * obsidian-hub and none in smaller vaults, and `strict` excludes a third. Unrelated notes score below `loose`.
 */
export const MIN_SIMILARITY: Readonly<Record<Relevance, number>> = { strict: 0.2, normal: 0.08, loose: 0.03 }

/**
 * Returns notes on the same subject. Notes found by comparing distinctive words across the vault come first. Notes found by stored
 * vectors follow, or are returned alone until words have been compared. Does not embed anything, so no model is required.
 */
export function similarNodes(core: GraphCore, args: SimilarArguments, given: Call = {}): Promise<Answer<readonly SimilarNode[]>> {
  const run = async (read: Read, call: Call): Promise<Answer<readonly SimilarNode[]>> => {
    const followed = await insightFor(core, call)
    return await read((snapshot) => similarIn({ core, snapshot, call }, args, followed))
  }
  return core.embedding === undefined ? answerInSteps(core, given, run) : answerFindable(core, given, 'meaning', run)
}

/** Waits for the insight if there are no vectors to answer from, or for a command, which runs only once. */
async function insightFor(core: GraphCore, call: Call): Promise<Followed | undefined> {
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
  reading: Reading,
  args: SimilarArguments,
  followed: Followed | undefined,
): Promise<Answer<readonly SimilarNode[]>> {
  const { ids, warnings } = await findNamed(reading.snapshot, reading.core, [args.id])
  const [id] = ids
  if (id === undefined) return { value: [], warnings }
  const similar = await similarTo(reading, args, { id, followed })
  return { ...similar, warnings: [...warnings, ...similar.warnings] }
}

async function similarTo(
  reading: Reading,
  args: SimilarArguments,
  { id, followed }: { readonly id: NodeId; readonly followed: Followed | undefined },
): Promise<Answer<readonly SimilarNode[]>> {
  const { snapshot, call } = reading
  const note = followed === undefined ? undefined : noteNumber(followed.insight, id)
  if (followed === undefined || note === undefined)
    return await similarByMeaning(reading, args, { id, isComparing: followed === undefined })
  const out = new Set<NodeId>([id, ...(args.excludeLinked ? await linkedWith(snapshot, id) : [])])
  const page = pageFor(args, call)
  const wanted = page.offset + page.limit + 1
  const near = neighboursOf(followed.insight, note)
  const least = MIN_SIMILARITY[args.relevance]
  const [worded, foreign] = await Promise.all([
    inScope(
      snapshot,
      scopeOf(args),
      near.filter((hit) => hit.score >= least && !out.has(hit.id)),
    ),
    abroad(reading, args, { id, out, wanted }),
  ])
  const relevant = byScore([...worded, ...foreign.hits.filter(({ score }) => score >= least)])
  // Needed even for a full page, because the answer includes the total.
  const known = new Set([...out, ...near.map((hit) => hit.id), ...foreign.hits.map((hit) => hit.id)])
  const rest = await behind(reading, args, { id, near, kept: followed.insight.nearest.kept, out: known, wanted })
  const hits = [...relevant, ...rest.hits.filter(({ score }) => score >= least)]
  // Notes that were not compared score lower than the last hit.
  const isAll = foreign.isAll && (rest.isAll || (rest.hits.at(-1)?.score ?? least) < least)
  const warnings = warningsOf(followed, note)
  return await listSimilar(reading, args, { hits, isAll, warnings })
}

interface Hit {
  readonly id: NodeId
  readonly score: number
}

/** Returns a note's nearest notes, and the notes that have this note among their nearest, best first. */
function neighboursOf({ ids, nearest: { kept, notes, scores } }: Insight, note: number): readonly Hit[] {
  const found = new Map<number, number>()
  for (let at = note * kept; at < (note + 1) * kept && notes[at] !== NO_NOTE; at++)
    found.set(notes[at] as number, scores[at] as number)
  for (let at = notes.indexOf(note); at !== -1; at = notes.indexOf(note, at + 1))
    found.set(Math.floor(at / kept), scores[at] as number)
  return [...found]
    .sort(([a, one], [b, other]) => other - one || a - b)
    .slice(0, MAX_NEIGHBORS)
    .map(([other, score]) => ({ id: ids[other] as NodeId, score }))
}

async function inScope(snapshot: Snapshot, scope: Scope, hits: readonly Hit[]): Promise<readonly Hit[]> {
  if (hits.length === 0) return []
  const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
  const { items } = await snapshot.find({ kind: 'among', nodes: hits.map(({ id }) => id) }, { scope, order }, ALL)
  const there = new Set(items.map(({ id }) => id))
  return hits.filter(({ id }) => there.has(id))
}

function scopeOf({ folder, tag }: Pick<SimilarArguments, 'folder' | 'tag'>): Scope {
  return toAnsweringScope({ folder, tag }, '')
}

function warningsOf({ insight, isCurrent }: Followed, note: number): readonly Warning[] {
  const warnings: Warning[] = []
  const words = insight.ownWords[note] ?? 0
  const id = insight.ids[note] as NodeId
  if (!isCurrent) {
    warnings.push({ code: 'STALE', message: 'The vault has changed since words were compared; newer scores are being computed.' })
  }
  if (insight.unread.includes(id)) warnings.push(...unreadWarnings([id]))
  else if (words < FEW_WORDS) {
    const own = words === 0 ? 'no text' : `only ${words} ${words === 1 ? 'word' : 'words'}`
    const message = `${quoted(id)} has ${own} of its own apart from lines that many notes share, so its similar notes are based on little more than its name.`
    warnings.push({ code: 'NOTICE', message })
  }
  return warnings
}

interface Behind {
  readonly id: NodeId
  readonly near: readonly Hit[]
  /** Maximum number of neighbors stored per note. */
  readonly kept: number
  readonly out: ReadonlySet<NodeId>
  readonly wanted: number
}

interface Rest {
  readonly hits: readonly Hit[]
  readonly isAll: boolean
}

/** Returns semantically similar notes, ranked below the notes found by words: each scores lower than the last of those. */
async function behind(reading: Reading, args: SimilarArguments, { id, near, kept, out, wanted }: Behind): Promise<Rest> {
  const last = near.length < kept ? MAX_UNRELATED_SCORE : (near.at(-1)?.score ?? MAX_UNRELATED_SCORE)
  if (reading.core.embedding === undefined || last < MIN_SIMILARITY[args.relevance]) return { hits: [], isAll: true }
  const found = await nearByMeaning(reading, args, { id, out, wanted })
  return 'warning' in found
    ? { hits: [], isAll: true }
    : { ...found, hits: found.hits.map(({ id: other, score }) => ({ id: other, score: score * last })) }
}

/** Returns a note at most once, with its best score. */
function byScore(hits: readonly Hit[]): readonly Hit[] {
  const best = new Map<NodeId, Hit>()
  for (const hit of hits) if (hit.score > (best.get(hit.id)?.score ?? -1)) best.set(hit.id, hit)
  return [...best.values()].sort((a, b) => b.score - a.score)
}

/** Returns notes in other languages that are near by meaning, because they share few words with the note. A translation scores about .4. */
export async function abroad(
  reading: Reading,
  args: Pick<SimilarArguments, 'folder' | 'tag'>,
  { id, out, wanted }: Meant,
): Promise<Rest> {
  const { core, snapshot } = reading
  if (core.embedding === undefined) return NONE
  const { codes, notes } = await snapshot.languages([id])
  const [own] = codes
  const used = languagesInUse(notes)
  if (own === undefined || used.every((code) => code === own)) return NONE
  const embedder = await servingVectors(snapshot)
  if (embedder === undefined) return NONE
  const opened = await openedFormer(reading, embedder)
  const from = opened?.acrossFrom
  const [stored] = await snapshot.vectors(embedder, [id])
  if (from === undefined || stored === undefined || !knowsLanguage(opened?.languages, own)) return NONE
  const centre = centreOf(stored.chunks.map(({ vector }) => vector.map((value, at) => (at < from ? 0 : value))))
  if (centre === undefined) return NONE
  const other = new Set<string | undefined>(used.filter((code) => code !== own && knowsLanguage(opened?.languages, code)))
  // The columns that are not compared are about as long as the others.
  const least = MIN_COSINE_ACROSS * Math.SQRT1_2
  const nearest = nearestTo(reading, args, { embedder, centre })
  const among = async (hits: readonly ChunkHit[]) => {
    const { codes: found } = await snapshot.languages(hits.map((hit) => hit.id))
    return hits.filter((hit, at) => hit.score > least && other.has(found[at]))
  }
  const { cosines, isAll } = await nearestOthers(nearest, { out, wanted, least, among, most: MAX_PASSAGES })
  return { hits: [...cosines].map(([near, cosine]) => ({ id: near, score: (cosine - least) / (Math.SQRT1_2 - least) })), isAll }
}

const NONE: Rest = { hits: [], isAll: true }

async function similarByMeaning(
  reading: Reading,
  args: SimilarArguments,
  { id, isComparing }: { readonly id: NodeId; readonly isComparing: boolean },
): Promise<Answer<readonly SimilarNode[]>> {
  const { core, snapshot, call } = reading
  if (core.embedding === undefined) return { value: [], warnings: [await notComparedWarning(snapshot, id, isComparing)] }
  const page = pageFor(args, call)
  const out = new Set<NodeId>([id, ...(args.excludeLinked ? await linkedWith(snapshot, id) : [])])
  const wanted = page.offset + page.limit + 1
  const [found, foreign] = await Promise.all([
    nearByMeaning(reading, args, { id, out, wanted }),
    abroad(reading, args, { id, out, wanted }),
  ])
  if ('warning' in found) return { value: [], warnings: [found.warning] }
  const hits = byScore([...found.hits, ...foreign.hits]).filter(({ score }) => score >= MIN_SCORE[args.relevance])
  return await listSimilar(reading, args, {
    hits,
    isAll: found.isAll && foreign.isAll,
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

interface Found {
  readonly hits: readonly Hit[]
  readonly isAll: boolean
  readonly warnings: readonly Warning[]
}

async function listSimilar(
  { snapshot, call }: Reading,
  args: SimilarArguments,
  { hits, isAll, warnings }: Found,
): Promise<Answer<readonly SimilarNode[]>> {
  const page = pageFor(args, call)
  const shown = hits.slice(page.offset, page.offset + page.limit)
  const scores = new Map(shown.map(({ id, score }) => [id, score]))
  const ids = shown.map(({ id }) => id)
  const nodes = await listResponses(snapshot, ids, { shown: 'metadata', links: linksShown(args.links, call) })
  const value = nodes.map((node) => ({ ...node, score: roundScore(Math.min(MAX_SHOWN_SIMILARITY, scores.get(node.id) ?? 0)) }))
  const { folder, tag } = args
  const own = hits.length === 0 ? await scopeWarnings(snapshot, { folder, tag }) : []
  const list = { offset: page.offset, shown: ids.length, count: hits.length, counted: isAll ? 'relevant' : 'part' } as const
  return { value, warnings: [...warnings, ...own], list }
}

interface Meant {
  readonly id: NodeId
  readonly out: ReadonlySet<NodeId>
  readonly wanted: number
}

/** Returns the notes with passages nearest to the center of a note, with the certainty of each note, 0–1. */
async function nearByMeaning(
  reading: Reading,
  args: SimilarArguments,
  { id, out, wanted }: Meant,
): Promise<Omit<Found, 'warnings'> | { readonly warning: Warning }> {
  const { core, snapshot } = reading
  const embedder = await servingVectors(snapshot)
  const [stored] = embedder === undefined ? [] : await snapshot.vectors(embedder, [id])
  const centre = centreOf(stored?.chunks.map(({ vector }) => vector) ?? [])
  if (embedder === undefined || centre === undefined) return { warning: await noVectorsWarning(snapshot, id) }
  if (await isUnknown(reading, embedder, id)) return { warning: unknownWarning(quoted(id)) }
  const { low, high } = knownTraits(core, embedder).certainty
  const least = Math.max(low, low + MIN_SCORE[args.relevance] * (high - low))
  const nearest = nearestTo(reading, args, { embedder, centre })
  // Fetch one more note than is shown, to learn whether there are more.
  const { cosines, isAll } = await nearestOthers(nearest, { out, wanted, least })
  const hits = [...cosines].map(([other, cosine]) => ({
    id: other,
    score: Math.max(0, Math.min(1, (cosine - low) / (high - low))),
  }))
  return { hits, isAll }
}

/**
 * Returns the id of the embedder with vectors for the most notes, or the newest such embedder. `undefined` if there are no
 * vectors yet.
 */
export async function servingVectors(snapshot: Snapshot): Promise<string | undefined> {
  const states = await snapshot.vectorStates()
  const most = Math.max(...states.map(({ notes }) => notes))
  return states.find(({ notes }) => notes === most)?.embedder
}

async function noVectorsWarning(snapshot: Snapshot, id: NodeId): Promise<Warning> {
  const [node] = await snapshot.nodes([id], { links: 0 })
  if (node?.kind !== 'note') return { code: 'UNKNOWN_ID', message: `${quoted(id)} is not a note, and only notes have vectors.` }
  return { code: 'FALLBACK', message: `${quoted(id)} has no vectors yet, so it cannot be compared with other notes.` }
}

interface Centre {
  readonly embedder: string
  readonly centre: Float32Array
}

/** Returns a function that fetches the passages nearest to a centre. */
function nearestTo({ snapshot }: Reading, args: Pick<SimilarArguments, 'folder' | 'tag'>, { embedder, centre }: Centre) {
  return async (limit: number): Promise<readonly ChunkHit[]> =>
    (await snapshot.nearest(embedder, [centre], scopeOf(args), limit))[0] ?? []
}

async function openedFormer({ core }: Reading, embedder: string): Promise<Embedder | undefined> {
  return await core.embedding?.openFormer(embedder).catch(() => undefined)
}

/** Checks whether the embedder does not know the note's language. */
async function isUnknown(reading: Reading, embedder: string, id: NodeId): Promise<boolean> {
  const opened = await openedFormer(reading, embedder)
  if (opened?.languages === undefined) return false
  const source = (await readTexts(reading, [id])).texts.get(id)
  return source !== undefined && !isKnownTo(opened.languages, languageOf(source.text, reading.core.languages))
}

interface Others {
  readonly out: ReadonlySet<NodeId>
  readonly wanted: number
  /** Minimum cosine of a relevant note. */
  readonly least: number
  /** Returns the relevant hits. By default, all hits are relevant. */
  readonly among?: (hits: readonly ChunkHit[]) => Promise<readonly ChunkHit[]>
  /** Maximum number of passages to fetch. Unlimited by default. */
  readonly most?: number
}

interface Nearest {
  readonly cosines: ReadonlyMap<NodeId, number>
  /** True if all notes that are near enough were found. */
  readonly isAll: boolean
}

/**
 * Returns the nearest other notes, ranked by their nearest passage. Fetches more passages if necessary, because one long note can
 * take up all of the passages fetched in the first round.
 */
async function nearestOthers(
  nearest: (limit: number) => Promise<readonly ChunkHit[]>,
  { out, wanted, least, among, most = Number.POSITIVE_INFINITY }: Others,
): Promise<Nearest> {
  for (let limit = PASSAGES; ; limit *= 4) {
    const hits = await nearest(limit)
    const best = new Map<NodeId, number>()
    for (const { id, score } of among === undefined ? hits : await among(hits))
      if (!out.has(id) && !best.has(id)) best.set(id, score)
    const isAll = hits.length < limit || (hits.at(-1)?.score ?? least) < least
    if (isAll || best.size >= wanted || limit >= most) return { cosines: best, isAll }
  }
}

async function linkedWith(snapshot: Snapshot, id: NodeId): Promise<readonly NodeId[]> {
  return (await snapshot.neighbors(id, { direction: 'both' }, ALL)).items
}

/** Returns the mean direction of a note's chunks, or `undefined` if there are none. */
export function centreOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors
  if (first === undefined) return undefined
  const sum = new Float32Array(first.length)
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  const length = magnitudeOf(sum)
  return length === 0 ? undefined : sum.map((value) => value / length)
}
