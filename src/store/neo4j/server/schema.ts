import { RouxError } from '../../../core/errors.ts'
import type { Connection } from './connection.ts'

/**
 * What nodes and properties mean; another number is another format. All labels, types and indexes of ours begin with Roux, and every node
 * says its vault: what else lies in the database is never touched.
 */
export const FORMAT = 1

/** Indexes of analysed words: forms and stems as they are given, separated by blanks. */
const WORDS_INDEX = 'roux_words'
const NAMES_INDEX = 'roux_names'

/** Made before the others: the node that it keeps single is the lock under which they are made. */
const FIRST = 'CREATE CONSTRAINT roux_schema IF NOT EXISTS FOR (n:RouxSchema) REQUIRE n.name IS UNIQUE'

const STATEMENTS: readonly string[] = [
  FIRST,
  'CREATE CONSTRAINT roux_vault IF NOT EXISTS FOR (n:RouxVault) REQUIRE n.vault IS UNIQUE',
  'CREATE CONSTRAINT roux_pending IF NOT EXISTS FOR (n:RouxPending) REQUIRE n.vault IS UNIQUE',
  'CREATE CONSTRAINT roux_feeder IF NOT EXISTS FOR (n:RouxFeeder) REQUIRE n.vault IS UNIQUE',
  'CREATE CONSTRAINT roux_search IF NOT EXISTS FOR (n:RouxSearch) REQUIRE n.vault IS UNIQUE',
  'CREATE CONSTRAINT roux_key IF NOT EXISTS FOR (n:RouxNode) REQUIRE (n.vault, n.key) IS UNIQUE',
  'CREATE CONSTRAINT roux_file_id IF NOT EXISTS FOR (n:RouxFile) REQUIRE (n.vault, n.id) IS UNIQUE',
  'CREATE CONSTRAINT roux_missing_id IF NOT EXISTS FOR (n:RouxMissing) REQUIRE (n.vault, n.idKey) IS UNIQUE',
  'CREATE CONSTRAINT roux_gone IF NOT EXISTS FOR (n:RouxGone) REQUIRE (n.vault, n.key) IS UNIQUE',
  'CREATE CONSTRAINT roux_words_key IF NOT EXISTS FOR (n:RouxWords) REQUIRE (n.vault, n.key) IS UNIQUE',
  'CREATE CONSTRAINT roux_vectors_key IF NOT EXISTS FOR (n:RouxVectors) REQUIRE (n.vault, n.embedder, n.key) IS UNIQUE',
  'CREATE CONSTRAINT roux_embedder IF NOT EXISTS FOR (n:RouxEmbedder) REQUIRE (n.vault, n.embedder) IS UNIQUE',
  'CREATE INDEX roux_file_generation IF NOT EXISTS FOR (n:RouxFile) ON (n.vault, n.generation)',
  'CREATE INDEX roux_listed IF NOT EXISTS FOR (n:RouxListed) ON (n.vault, n.folded)',
  ...['inDegree', 'outDegree', 'pagerank', 'betweenness'].map(
    (score) => `CREATE INDEX roux_by_${score} IF NOT EXISTS FOR (n:RouxListed) ON (n.vault, n.${score})`,
  ),
  'CREATE INDEX roux_file IF NOT EXISTS FOR (n:RouxFile) ON (n.vault, n.folded)',
  `CREATE FULLTEXT INDEX ${WORDS_INDEX} IF NOT EXISTS FOR (n:RouxWords)
   ON EACH [n.owner, n.titleStems, n.bodyStems, n.titleForms, n.bodyForms] OPTIONS { indexConfig: { \`fulltext.analyzer\`: 'whitespace' } }`,
  `CREATE FULLTEXT INDEX ${NAMES_INDEX} IF NOT EXISTS FOR (n:RouxFile)
   ON EACH [n.owner, n.nameKeys, n.namePairs] OPTIONS { indexConfig: { \`fulltext.analyzer\`: 'whitespace' } }`,
]

/** The names of all that are made once; those of vectors come with the vectors. */
export const INDEXES: readonly string[] = STATEMENTS.flatMap((statement) => /roux_\w+/.exec(statement) ?? [])

/** How long is waited for indexes to be ready, s. */
const AWAIT = 120

/** The indexes of ours that are ready. */
export async function onlineIndexes(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.read<{ readonly name: string }>(
    "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'roux_' AND state = 'ONLINE' RETURN name",
  )
  return new Set(rows.map(({ name }) => name))
}

async function isWhole(connection: Connection): Promise<boolean> {
  const [found] = await connection.read<{ readonly version: number }>(
    "MATCH (s:RouxSchema {name: 'schema'}) WHERE s.version IS NOT NULL RETURN s.version AS version",
  )
  if (found === undefined) return false
  requireFormat(found.version)
  const online = await onlineIndexes(connection)
  return INDEXES.every((name) => online.has(name))
}

/**
 * Makes what is missing of constraints and indexes, one process at a time; a user that may not make any can feed where all are there.
 * @throws RouxError `STORE_UNAVAILABLE` where another version of ours made the database
 */
export async function ensureSchema(connection: Connection): Promise<void> {
  if (await isWhole(connection)) return
  await connection.write(FIRST)
  const lock = await connection.open()
  try {
    const [found] = await lock.run<{ readonly version: number | null }>(
      `MERGE (s:RouxSchema {name: 'schema'}) SET s.locked = randomUUID() RETURN s.version AS version`,
    )
    requireFormat(found?.version ?? FORMAT)
    for (const statement of STATEMENTS) await connection.write(statement)
    await connection.write(`CALL db.awaitIndexes(${AWAIT})`)
    await lock.run(`MATCH (s:RouxSchema {name: 'schema'}) SET s.version = $version REMOVE s.locked`, { version: FORMAT })
    await lock.commit()
  } catch (error) {
    await lock.rollback().catch(() => {})
    throw error
  }
}

/** @throws RouxError `STORE_UNAVAILABLE` for another format than ours */
export function requireFormat(version: number | undefined): void {
  if (version === undefined || version === FORMAT) return
  const [message, hint] =
    version > FORMAT
      ? ['The Neo4j database was fed by a newer version of Roux.', 'Update Roux here.']
      : [
          'The Neo4j database was fed by an older version of Roux.',
          'Remove its vaults with the version that fed them, and feed them again.',
        ]
  throw new RouxError('STORE_UNAVAILABLE', message, { hint })
}
