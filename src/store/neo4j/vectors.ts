import { invalid } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { FileRecord } from '../../core/index-writer.ts'
import type { ChunkHit, ChunkPlace, NameVectorHit, NoteChunks, VectorState } from '../../core/search.ts'
import type { NameOptions, Scope } from '../../core/store.ts'
import { isWhole } from '../note-facts.ts'
import { namesOf } from './note-properties.ts'
import type { QuestionContext } from './questions.ts'
import { filesIn } from './scope.ts'
import { vectorNames } from './server/schema.ts'

interface VectorQuery {
  readonly embedder: string
  readonly vectors: readonly Float32Array[]
  readonly scope: Scope
}

/** Number of hits to request, as a multiple of the limit. Some hits are outdated or outside the scope. */
const MORE = 4
const MIN_CANDIDATES = 100

/** Finds the nearest vectors. `row` can refer to the stored vector `p` and its file `f`. */
async function nearest<T>(
  asking: QuestionContext,
  { embedder, vectors, scope }: VectorQuery,
  {
    kind,
    limit,
    row,
    minimum,
  }: { readonly kind: 'chunk' | 'name'; readonly limit: number; readonly row: string; readonly minimum: number },
): Promise<readonly (readonly T[])[]> {
  const stored = asking.embedders.find((candidate) => candidate.embedder === embedder)
  if (stored === undefined || limit <= 0) return vectors.map(() => [])
  for (const vector of vectors) requireVector(vector, stored.dimensions)
  const { chunkLabel, nameLabel, chunkIndex, nameIndex } = vectorNames(asking.vault, embedder)
  const [label, index] = kind === 'chunk' ? [chunkLabel, chunkIndex] : [nameLabel, nameIndex]
  const { text, parameters } = filesIn(scope, asking.bare)
  const bounds = `MATCH (p)-[:ROUX_PART]->(n:RouxVectors)-[:ROUX_OF]->(f:RouxFile) WHERE f.path = n.path AND ${text}`
  const cosine = 'vector.similarity.cosine(p.vector, $vectors[at]) * 2 - 1'
  const search =
    stored.indexed === true && isWhole(scope)
      ? `CALL db.index.vector.queryNodes('${index}', toInteger($most), $vectors[at]) YIELD node AS p ${bounds}
         WITH f, p, ${cosine} AS score`
      : `MATCH (f:RouxFile {vault: $vault})<-[:ROUX_OF]-(n:RouxVectors {embedder: $embedder})<-[:ROUX_PART]-(p:${label})
         WHERE f.path = n.path AND ${text} AND p.isKnown WITH f, p, ${cosine} AS score`
  const rows = await asking.questions.ask<{ readonly hits: readonly T[] }>(
    `UNWIND range(0, size($vectors) - 1) AS at
     CALL (at) { ${search} WHERE score >= $minimum
                 WITH f, p, score ORDER BY score DESC, f.sort, p.place LIMIT toInteger($limit) RETURN collect(${row}) AS hits }
     WITH at, hits ORDER BY at RETURN {hits: hits} AS row`,
    {
      ...parameters,
      embedder,
      vectors: vectors.map((vector) => Array.from(vector)),
      limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
      most: Math.max(MIN_CANDIDATES, Math.min(10_000, limit * MORE)),
      minimum: minimum - ROUNDING_ERROR,
    },
  )
  return rows.map(({ hits }) => hits)
}

const ROUNDING_ERROR = 1e-6

function requireVector(vector: Float32Array, dimensions: number | null): void {
  if (dimensions !== null && vector.length !== dimensions) throw invalid('The vector belongs to another embedder.')
  const length = Math.hypot(...vector)
  if (!Number.isFinite(length)) throw invalid('The vector is invalid.')
}

export async function nearestChunks(
  asking: QuestionContext,
  query: VectorQuery,
  limit: number,
): Promise<readonly (readonly ChunkHit[])[]> {
  const lists = await nearest<{ readonly id: string; readonly chunk: number; readonly score: number }>(asking, query, {
    kind: 'chunk',
    limit,
    row: '{id: f.id, chunk: p.place, score: score}',
    minimum: -1,
  })
  return lists.map((hits) => hits.map((hit) => ({ ...hit, id: asking.idOf(hit.id) })))
}

/** Returns names, best first. */
export async function nearestNames(
  asking: QuestionContext,
  query: VectorQuery,
  { limit, minimum }: NameOptions,
): Promise<readonly (readonly NameVectorHit[])[]> {
  const lists = await nearest<{
    readonly file: Pick<FileRecord, 'path' | 'kind' | 'title' | 'aliases'> & { readonly id: string }
    readonly place: number
    readonly score: number
  }>(asking, query, {
    kind: 'name',
    limit,
    row: '{file: f {.id, .path, .kind, .title, .aliases}, place: p.place, score: score}',
    minimum,
  })
  return lists.map((hits) =>
    hits.flatMap(({ file, place, score }): readonly NameVectorHit[] => {
      const name = namesOf(file)[place]
      return name === undefined ? [] : [{ id: asking.idOf(file.id), title: file.title, name, score }]
    }),
  )
}

export async function vectorsOf(
  { questions, bare }: QuestionContext,
  embedder: string,
  ids: readonly NodeId[],
): Promise<readonly (NoteChunks | undefined)[]> {
  const rows = await questions.ask<{
    readonly content: string | null
    readonly chunks: readonly (ChunkPlace & { readonly vector: readonly number[] })[]
  }>(
    `UNWIND range(0, size($ids) - 1) AS at
     OPTIONAL MATCH (f:RouxFile {vault: $vault, id: $ids[at]})<-[:ROUX_OF]-(n:RouxVectors {embedder: $embedder}) WHERE f.path = n.path
     WITH at, n ORDER BY at
     RETURN {content: n.content, chunks: COLLECT {
       MATCH (n)<-[:ROUX_PART]-(p:RouxChunk) WITH p ORDER BY p.place
       RETURN p {.start, .end, .startLine, .endLine, .vector} }} AS row`,
    { embedder, ids: ids.map(bare) },
  )
  return rows.map(({ content, chunks }) =>
    content === null
      ? undefined
      : { content: content.slice(0, 16), chunks: chunks.map((chunk) => ({ ...chunk, vector: Float32Array.from(chunk.vector) })) },
  )
}

/** Returns the embedders. The last used one comes first. */
export async function vectorStates({ questions }: QuestionContext): Promise<readonly VectorState[]> {
  const rows = await questions.ask<{ readonly embedder: string; readonly notes: number; readonly indexed: boolean | null }>(
    `MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > ''
     WITH e, COUNT { MATCH (n:RouxVectors {vault: $vault, embedder: e.embedder})-[:ROUX_OF]->(f:RouxFile)
                     WHERE n.key >= 0 AND f.path = n.path } AS notes
     ORDER BY e.used DESC RETURN {embedder: e.embedder, notes: notes, indexed: e.indexed} AS row`,
  )
  return rows.map(({ embedder, notes, indexed }) => ({ embedder, notes, index: indexed === true ? 'neo4j' : 'exact' }))
}
