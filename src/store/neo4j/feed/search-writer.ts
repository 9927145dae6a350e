import type { AnalyzedText, EmbeddedText, NoteVectors, SearchWriter } from '../../../core/search-writer.ts'
import { Connection, type Run } from '../server/connection.ts'
import type { Neo4jPlace } from '../server/place.ts'
import { onlineIndexes, quoted, vectorNames, withSchema, wordNames } from '../server/schema.ts'
import { deleteAll, OF_SEARCH } from './index-writer.ts'

const ROWS = 500

const CHARACTERS = 8 << 20

const KEYS = 2_000

export function connectSearchWriter(place: Neo4jPlace): SearchWriter {
  return openNeo4jSearchWriter(new Connection(place))
}

export function openNeo4jSearchWriter(connection: Connection): SearchWriter {
  const { vault } = connection
  const { wordLabel } = wordNames(vault)
  /** The counter of search writes at the last check. */
  let seenGeneration: number | undefined
  /** The embedders whose indexes are known to exist. */
  const indexed = new Set<string>()
  const { prepared, read } = withSchema(connection)
  const write = async (work: (run: Run) => Promise<void>): Promise<void> => {
    await prepared()
    const count = await connection.transaction(async (run) => {
      await work((cypher, parameters) => run(cypher, { vault, ...parameters }))
      const [row] = await run<{ readonly count: number }>(
        'MERGE (s:RouxSearch {vault: $vault}) SET s.writes = coalesce(s.writes, 0) + 1 RETURN s.writes AS count',
        { vault },
      )
      return row?.count ?? 0
    })
    if (seenGeneration === undefined || count === seenGeneration + 1) seenGeneration = count
  }
  const versions = async (cypher: string, parameters = {}): Promise<ReadonlyMap<number, number>> => {
    const rows = await read<{ readonly key: number; readonly version: number }>(cypher, parameters)
    return new Map(rows.map(({ key, version }) => [key, version]))
  }
  return {
    wordVersions: () =>
      versions('MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 RETURN w.key AS key, w.version AS version'),
    vectorVersions: (embedder) =>
      versions(
        'MATCH (n:RouxVectors {vault: $vault, embedder: $embedder}) WHERE n.key >= 0 RETURN n.key AS key, n.version AS version',
        { embedder },
      ),
    async isOutdated() {
      const [row] = await read<{ readonly count: number }>('MATCH (s:RouxSearch {vault: $vault}) RETURN s.writes AS count')
      const count = row?.count ?? 0
      const before = seenGeneration
      seenGeneration = count
      return before !== undefined && before !== count
    },
    async beginWords(stemOf) {
      const rows: Readonly<Record<string, string | number | null>>[] = []
      return {
        async put(notes) {
          for (const { key, path, version, language, title, body } of notes) {
            const stemIn = (form: string): string => stemOf(form, language)
            const [titleTexts, text] = [wordTexts(title, stemIn), wordTexts(body, stemIn)]
            rows.push({
              key,
              path,
              version,
              language: language ?? null,
              titleStems: titleTexts.stems,
              titleForms: titleTexts.forms,
              bodyStems: text.stems,
              bodyForms: text.forms,
            })
          }
        },
        async commit() {
          await write(async (run) => {
            for (const part of inParts(rows)) {
              await run(
                `UNWIND $rows AS row MERGE (w:RouxWords {vault: $vault, key: row.key}) SET w:$($wordLabel), w += row
                 WITH w OPTIONAL MATCH (w)-[o:ROUX_OF]->() DELETE o
                 WITH DISTINCT w MATCH (f:RouxNode {vault: $vault, key: w.key}) CREATE (w)-[:ROUX_OF]->(f)`,
                { rows: part, wordLabel },
              )
            }
          })
        },
      }
    },
    async vectorsOf(embedder, keys) {
      const vectors = new Map<string, Float32Array>()
      for (let from = 0; from < keys.length; from += KEYS) {
        const rows = await read<{ readonly hash: string; readonly vector: readonly number[] }>(
          `UNWIND $keys AS key MATCH (n:RouxVectors {vault: $vault, embedder: $embedder, key: key})<-[:ROUX_PART]-(p)
           RETURN p.hash AS hash, p.vector AS vector`,
          { embedder, keys: keys.slice(from, from + KEYS) },
        )
        for (const { hash, vector } of rows) if (vector.some((value) => value !== 0)) vectors.set(hash, Float32Array.from(vector))
      }
      return vectors
    },
    async putVectors(embedder, notes) {
      const { chunkLabel, nameLabel } = vectorNames(vault, embedder)
      const dimensions = dimensionsOf(notes)
      await write(async (run) => {
        await run(
          `MERGE (e:RouxEmbedder {vault: $vault, embedder: $embedder})
           SET e.used = timestamp(), e.dimensions = coalesce($dimensions, e.dimensions), e.chunkLabel = $chunkLabel, e.nameLabel = $nameLabel`,
          { embedder, dimensions: dimensions ?? null, chunkLabel, nameLabel },
        )
        await forgetVectors(
          run,
          embedder,
          notes.map(({ key }) => key),
        )
        await run(
          `UNWIND $rows AS row MERGE (n:RouxVectors {vault: $vault, embedder: $embedder, key: row.key}) SET n += row
           WITH n MATCH (f:RouxNode {vault: $vault, key: n.key}) CREATE (n)-[:ROUX_OF]->(f)`,
          { embedder, rows: notes.map(({ key, path, version, content }) => ({ key, path, version, content })) },
        )
        const chunks = notes.flatMap(({ key, chunks: all }) => all.map((chunk, place) => ({ ...stored(chunk), key, place })))
        const names = notes.flatMap(({ key, names: all }) => all.map((name, place) => ({ ...stored(name), key, place })))
        for (const [label, kind, rows] of [
          [chunkLabel, 'RouxChunk', chunks],
          [nameLabel, 'RouxName', names],
        ] as const) {
          for (let from = 0; from < rows.length; from += ROWS) {
            await run(
              `UNWIND $rows AS row MATCH (n:RouxVectors {vault: $vault, embedder: $embedder, key: row.key})
               CREATE (p:${kind}:${quoted(label)} {vault: $vault})-[:ROUX_PART]->(n) SET p += row`,
              { embedder, rows: rows.slice(from, from + ROWS) },
            )
          }
        }
      })
    },
    async forget(keys) {
      for (let from = 0; from < keys.length; from += KEYS) {
        const part = keys.slice(from, from + KEYS)
        await write(async (run) => {
          await run('UNWIND $keys AS key MATCH (w:RouxWords {vault: $vault, key: key}) DETACH DELETE w', { keys: part })
          const embedders = await run<{ readonly embedder: string }>(
            'MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > "" RETURN e.embedder AS embedder',
          )
          for (const { embedder } of embedders) {
            await forgetVectors(run, embedder, part)
            await run(
              'UNWIND $keys AS key MATCH (n:RouxVectors {vault: $vault, embedder: $embedder, key: key}) DETACH DELETE n',
              {
                embedder,
                keys: part,
              },
            )
          }
        })
      }
    },
    async keepOnly(embedder) {
      const others = await read<{ readonly other: string }>(
        'MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder <> $embedder RETURN e.embedder AS other',
        { embedder },
      )
      for (const { other } of others) {
        const parameters = { other }
        // Readers then stop using the indexes and compare vectors one by one.
        await write(async (run) => {
          await run('MATCH (e:RouxEmbedder {vault: $vault, embedder: $other}) REMOVE e.indexed', parameters)
        })
        const { chunkIndex, nameIndex } = vectorNames(vault, other)
        for (const index of [chunkIndex, nameIndex]) await connection.write(`DROP INDEX ${quoted(index)} IF EXISTS`)
        await deleteAll(connection, ['(n:RouxVectors {vault: $vault, embedder: $other}) WHERE n.key >= 0'], parameters)
        await write(async (run) => {
          await run('MATCH (e:RouxEmbedder {vault: $vault, embedder: $other}) DELETE e', parameters)
        })
      }
    },
    async maintain() {
      await ensureVectorIndexes(connection, { known: indexed, write })
      return false
    },
    async tidy() {},
    async reset() {
      await prepared()
      await deleteAll(connection, OF_SEARCH)
    },
    async close() {
      await connection.close()
    },
  }
}

/** Fewer vectors are compared one by one, which is exact and fast enough. */
const INDEXED_FROM = 2_000

interface IndexMaker {
  readonly known: Set<string>
  readonly write: (work: (run: Run) => Promise<void>) => Promise<void>
}

/** Creates the missing vector indexes of embedders with enough vectors. */
async function ensureVectorIndexes(connection: Connection, { known, write }: IndexMaker): Promise<void> {
  const { vault } = connection
  const rows = await connection.read<{
    readonly embedder: string
    readonly dimensions: number | null
    readonly isIndexed: boolean
    readonly chunks: number
  }>(
    `MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > ''
     RETURN e.embedder AS embedder, e.dimensions AS dimensions, coalesce(e.indexed, false) AS isIndexed,
            COUNT { MATCH (n:RouxVectors {vault: $vault, embedder: e.embedder})<-[:ROUX_PART]-() WHERE n.key >= 0 } AS chunks`,
    { vault },
  )
  for (const { embedder, dimensions, isIndexed, chunks } of rows) {
    if (dimensions === null || chunks < INDEXED_FROM || known.has(embedder)) continue
    const { chunkIndex, chunkLabel, nameIndex, nameLabel } = vectorNames(vault, embedder)
    const online = isIndexed ? await onlineIndexes(connection) : undefined
    // Existing indexes are not created again. Without the privilege, even `CREATE INDEX IF NOT EXISTS` fails.
    if (online?.has(chunkIndex) === true && online.has(nameIndex)) {
      known.add(embedder)
      continue
    }
    for (const [index, label] of [
      [chunkIndex, chunkLabel],
      [nameIndex, nameLabel],
    ] as const) {
      await connection.write(
        `CREATE VECTOR INDEX ${quoted(index)} IF NOT EXISTS FOR (n:${quoted(label)}) ON (n.vector)
         OPTIONS { indexConfig: { \`vector.dimensions\`: ${Math.trunc(dimensions)}, \`vector.similarity_function\`: 'cosine' } }`,
      )
    }
    await connection.write('CALL db.awaitIndexes(600)')
    await write(async (run) => {
      await run('MATCH (e:RouxEmbedder {vault: $vault, embedder: $embedder}) SET e.indexed = true', { embedder })
    })
    known.add(embedder)
  }
}

async function forgetVectors(run: Run, embedder: string, keys: readonly number[]): Promise<void> {
  await run(
    `UNWIND $keys AS key MATCH (n:RouxVectors {vault: $vault, embedder: $embedder, key: key})
     OPTIONAL MATCH (n)<-[:ROUX_PART]-(p) DETACH DELETE p
     WITH DISTINCT n OPTIONAL MATCH (n)-[o:ROUX_OF]->() DELETE o`,
    { embedder, keys },
  )
}

function dimensionsOf(notes: readonly NoteVectors[]): number | undefined {
  for (const { chunks, names } of notes) for (const { vector } of [...chunks, ...names]) return vector.length
  return undefined
}

function stored<T extends EmbeddedText>(text: T): Omit<T, 'vector'> & StoredVector {
  return { ...text, vector: Array.from(text.vector), isKnown: text.vector.some((value) => value !== 0) }
}

interface StoredVector {
  readonly vector: readonly number[]
  /** False for a zero vector. */
  readonly isKnown: boolean
}

function* inParts<T extends Readonly<Record<string, string | number | null>>>(rows: readonly T[]): Generator<readonly T[]> {
  let part: T[] = []
  let characters = 0
  for (const row of rows) {
    part.push(row)
    characters += String(row.bodyForms).length
    if (part.length < ROWS && characters < CHARACTERS) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}

/** The words of a note, in the form that the full-text index needs. */
export interface WordTexts {
  readonly stems: string
  /** For each position, `/ ` and its forms, each followed by a space. The text ends with `/`. */
  readonly forms: string
}

function wordTexts(text: AnalyzedText, stemOf: (form: string) => string): WordTexts {
  const stems: string[] = []
  const forms: string[] = []
  let at = -1
  text((form, _kind, position) => {
    for (; at < position; at++) forms.push('/')
    forms.push(form)
    stems.push(stemOf(form))
  })
  forms.push('/')
  return { stems: stems.join(' '), forms: forms.join(' ') }
}
