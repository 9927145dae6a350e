import type { NodeId } from '../core/ids.ts'
import type { ChunkHit } from '../core/search.ts'
import { ALL, type Snapshot } from '../core/store.ts'
import { isKnown } from '../search/known-share.ts'
import { LEAST_SCORE, type Relevance } from '../search/relevance.ts'
import { type Call, type PageArguments, pageFor } from './answer-when-ready.ts'
import { knownTraits } from './embedder-traits.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { findIds, unknownIdWarning } from './known-node.ts'
import { type ListedNode, linksShown, listResponses } from './node-response.ts'
import { noEmbedder, unknownWarning } from './question-vector.ts'
import { toScope } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'
import { type Reading, readTexts } from './texts.ts'
import { quoted } from './truncate.ts'

export interface SimilarArguments extends PageArguments {
  readonly id: string
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  readonly relevance: Relevance
  /** Leave out notes that link to it or that it links to. */
  readonly excludeLinked: boolean
  /** Links shown of each. */
  readonly links?: number | undefined
}

export interface SimilarNode extends ListedNode {
  /** 0–1; compares between notes of one vault. */
  readonly score: number
}

/** Passages that are compared at first; the best of a note counts. */
const PASSAGES = 200

/**
 * Notes that are about the same, from the vectors that are stored: nothing is embedded, and no model need be there.
 * @throws RouxError `PROVIDER_ERROR` without an embedder.
 */
export function similarNodes(core: GraphCore, args: SimilarArguments, call: Call = {}): Promise<Answer<readonly SimilarNode[]>> {
  return answerFindable(core, call, 'meaning', (read) => read((snapshot) => similarIn({ core, snapshot, call }, args)))
}

async function similarIn({ core, snapshot, call }: Reading, args: SimilarArguments): Promise<Answer<readonly SimilarNode[]>> {
  const [id] = await findIds(snapshot, core, [args.id])
  if (id === undefined) return { value: [], warnings: [await unknownIdWarning(snapshot, args.id)] }
  if (core.embedding === undefined) throw noEmbedder()
  const embedder = await servingVectors(snapshot)
  const [stored] = embedder === undefined ? [] : await snapshot.vectors(embedder, [id])
  const centre = centreOf(stored?.chunks.map(({ vector }) => vector) ?? [])
  if (embedder === undefined || centre === undefined) return { value: [], warnings: [await noVectorsWarning(snapshot, id)] }
  if (await isUnknown({ core, snapshot, call }, embedder, id)) return { value: [], warnings: [unknownWarning(quoted(id))] }
  const out = new Set<NodeId>([id, ...(args.excludeLinked ? await linkedWith(snapshot, id) : [])])
  const scope = { ...toScope({ folder: args.folder, tag: args.tag }), withoutArchived: true }
  const page = pageFor(args, call)
  const { low, high } = knownTraits(core, embedder).certainty
  const least = Math.max(low, low + LEAST_SCORE[args.relevance] * (high - low))
  const nearest = async (limit: number) => (await snapshot.nearest(embedder, [centre], scope, limit))[0] ?? []
  // One more than is shown tells whether there is more.
  const { cosines, isAll } = await nearestOthers(nearest, { out, wanted: page.offset + page.limit + 1, least })
  const best = new Map([...cosines].map(([key, cosine]) => [key, Math.max(0, Math.min(1, (cosine - low) / (high - low)))]))
  const relevant = [...best].filter(([, score]) => score >= LEAST_SCORE[args.relevance])
  const ids = relevant.slice(page.offset, page.offset + page.limit).map(([key]) => key)
  const nodes = await listResponses(snapshot, ids, { shown: 'metadata', links: linksShown(args.links, call) })
  const value = nodes.map((node) => ({ ...node, score: Number((best.get(node.id) ?? 0).toFixed(4)) }))
  const { folder, tag } = args
  const warnings = relevant.length === 0 ? await scopeWarnings(snapshot, { folder, tag }) : []
  const list = { offset: page.offset, shown: ids.length, count: relevant.length, counted: isAll ? 'relevant' : 'part' } as const
  return { value, warnings, list }
}

/** The id of the embedder of which most notes have vectors, of several the newest; `undefined` before there are any. */
export async function servingVectors(snapshot: Snapshot): Promise<string | undefined> {
  const states = await snapshot.vectorStates()
  const most = Math.max(...states.map(({ notes }) => notes))
  return states.find(({ notes }) => notes === most)?.embedder
}

async function noVectorsWarning(snapshot: Snapshot, id: NodeId): Promise<Warning> {
  const [node] = await snapshot.nodes([id], { links: 0 })
  if (node?.kind !== 'note') return { code: 'UNKNOWN_ID', message: `${quoted(id)} is no note, and only notes have vectors.` }
  return { code: 'FALLBACK', message: `${quoted(id)} has no vectors (yet): there is nothing to compare with other notes.` }
}

/** What is looked at of a note to know whether its language is known, UTF-16. */
const SAMPLE = 4_000

/** Whether the embedder knows too little of the note for its vectors to say anything; a model that must be started first is not asked. */
async function isUnknown(reading: Reading, embedder: string, id: NodeId): Promise<boolean> {
  const opened = await reading.core.embedding?.openFormer(embedder).catch(() => undefined)
  if (opened?.coverage === undefined) return false
  const source = (await readTexts(reading, [id])).texts.get(id)
  return source !== undefined && !isKnown(opened.coverage(source.text.slice(0, SAMPLE)))
}

interface Others {
  readonly out: ReadonlySet<NodeId>
  readonly wanted: number
  /** The least cosine that is relevant enough. */
  readonly least: number
}

interface Nearest {
  readonly cosines: ReadonlyMap<NodeId, number>
  /** Whether no other note is near enough. */
  readonly isAll: boolean
}

/** The nearest of the other notes, each by its nearest passage. The passages of a long note alone may be more than are compared at first. */
async function nearestOthers(
  nearest: (limit: number) => Promise<readonly ChunkHit[]>,
  { out, wanted, least }: Others,
): Promise<Nearest> {
  for (let limit = PASSAGES; ; limit *= 4) {
    const hits = await nearest(limit)
    const best = new Map<NodeId, number>()
    for (const { id, score } of hits) if (!out.has(id) && !best.has(id)) best.set(id, score)
    const isAll = hits.length < limit || (hits.at(-1)?.score ?? least) < least
    if (isAll || best.size >= wanted) return { cosines: best, isAll }
  }
}

async function linkedWith(snapshot: Snapshot, id: NodeId): Promise<readonly NodeId[]> {
  return (await snapshot.neighbors(id, { direction: 'both' }, ALL)).items
}

/** The direction that all of a note's chunks have in common; `undefined` where there is none. */
export function centreOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors
  if (first === undefined) return undefined
  const sum = new Float32Array(first.length)
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
  const length = Math.hypot(...sum)
  return length === 0 ? undefined : sum.map((value) => value / length)
}
