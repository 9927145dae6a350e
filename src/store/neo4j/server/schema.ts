import { invalid, RouxError } from '../../../core/errors.ts'
import { shortHash } from '../note-properties.ts'
import type { Connection } from './connection.ts'

/** All labels, types and indexes start with Roux, and all nodes have the vault's name, so other data is not touched. */
export const FORMAT = 2

/** The text is already analyzed, so the index splits it only at spaces. */
const BY_BLANKS = "OPTIONS { indexConfig: { `fulltext.analyzer`: 'whitespace' } }"

/** The unique node serves as a lock while the schema is created. */
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
  'CREATE CONSTRAINT roux_result IF NOT EXISTS FOR (n:RouxResult) REQUIRE (n.vault, n.name, n.part) IS UNIQUE',
  'CREATE CONSTRAINT roux_decision IF NOT EXISTS FOR (n:RouxDecision) REQUIRE (n.vault, n.kind, n.of) IS UNIQUE',
  'CREATE INDEX roux_commit IF NOT EXISTS FOR (n:RouxCommit) ON (n.vault, n.generation)',
  'CREATE INDEX roux_file_generation IF NOT EXISTS FOR (n:RouxFile) ON (n.vault, n.generation)',
  'CREATE INDEX roux_listed IF NOT EXISTS FOR (n:RouxListed) ON (n.vault, n.folded)',
  'CREATE INDEX roux_in_folder IF NOT EXISTS FOR (n:RouxListed) ON (n.vault, n.folder)',
  ...['inDegree', 'outDegree', 'pagerank', 'betweenness'].map(
    (score) => `CREATE INDEX roux_by_${score} IF NOT EXISTS FOR (n:RouxListed) ON (n.vault, n.${score})`,
  ),
  'CREATE INDEX roux_file IF NOT EXISTS FOR (n:RouxFile) ON (n.vault, n.folded)',
  `CREATE FULLTEXT INDEX roux_names IF NOT EXISTS FOR (n:RouxFile) ON EACH [n.owner, n.nameKeys, n.namePairs] ${BY_BLANKS}`,
]

/** The names of the indexes that all vaults share. Each vault also has its own indexes. */
export const INDEXES: readonly string[] = STATEMENTS.flatMap((statement) => /roux_\w+/.exec(statement) ?? [])

/** The maximum wait in seconds. */
const AWAIT = 120

export async function onlineIndexes(connection: Connection): Promise<ReadonlySet<string>> {
  const rows = await connection.read<{ readonly name: string }>(
    "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'roux_' AND state = 'ONLINE' RETURN name",
  )
  return new Set(rows.map(({ name }) => name))
}

/**
 * Returns the missing indexes, both shared ones and the vault's own, or `undefined` if the database has no format yet, or an
 * older one.
 */
async function missingIndexes(connection: Connection): Promise<readonly string[] | undefined> {
  const [row] = await connection.read<{ readonly version: number }>(
    "MATCH (s:RouxSchema {name: 'schema'}) WHERE s.version IS NOT NULL RETURN s.version AS version",
  )
  if (row === undefined || row.version < FORMAT) return undefined
  requireFormat(row.version)
  const online = await onlineIndexes(connection)
  return [...INDEXES, wordNames(connection.vault).wordIndex].filter((name) => !online.has(name))
}

/**
 * Creates the schema and migrates older formats. If nothing is missing, no schema privileges are required.
 * @throws RouxError `STORE_UNAVAILABLE` if a newer version of Roux has fed the database
 */
export async function ensureSchema(connection: Connection): Promise<void> {
  const { wordIndex } = wordNames(connection.vault)
  const missing = await missingIndexes(connection)
  if (missing === undefined || missing.some((name) => name !== wordIndex)) await makeSchema(connection)
  if (missing?.length !== 0) await makeWordIndex(connection, connection.vault)
}

/** Creates the schema before the first statement. */
export function withSchema(connection: Connection) {
  let schema: Promise<void> | undefined
  const prepared = async (): Promise<void> => {
    schema ??= ensureSchema(connection)
    await schema.catch((error: unknown) => {
      schema = undefined
      throw error
    })
  }
  const read = async <T>(cypher: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<readonly T[]> => {
    await prepared()
    return await connection.read<T>(cypher, { vault: connection.vault, ...parameters })
  }
  return { prepared, read }
}

async function makeSchema(connection: Connection): Promise<void> {
  await connection.write(FIRST)
  const lock = await connection.open()
  try {
    const [row] = await lock.run<{ readonly version: number | null }>(
      `MERGE (s:RouxSchema {name: 'schema'}) SET s.locked = randomUUID() RETURN s.version AS version`,
    )
    const version = row?.version ?? FORMAT
    if (version > FORMAT) requireFormat(version)
    await connection.transaction(async (run) => {
      for (const statement of STATEMENTS) await run(statement)
    })
    if (version < 2) await giveVaultsTheirWordIndexes(connection)
    await connection.write(`CALL db.awaitIndexes(${AWAIT})`)
    await lock.run(`MATCH (s:RouxSchema {name: 'schema'}) SET s.version = $version REMOVE s.locked`, { version: FORMAT })
    await lock.commit()
  } catch (error) {
    await lock.rollback().catch(() => {})
    throw error
  }
}

/** @throws RouxError `STORE_UNAVAILABLE` for an unsupported format */
export function requireFormat(version: number | undefined): void {
  if (version === undefined || version === FORMAT) return
  const [message, hint] =
    version > FORMAT
      ? ['The Neo4j database was fed by a newer version of Roux.', 'Update Roux here.']
      : [
          'The Neo4j database was fed by an older version of Roux.',
          'Run `roux index <folder> --store neo4j` with this version for one of its vaults to update all of them.',
        ]
  throw new RouxError('STORE_UNAVAILABLE', message, { hint })
}

/** Creates the index and waits until it is ready. */
async function makeWordIndex(connection: Connection, vault: string): Promise<void> {
  const { wordIndex, wordLabel } = wordNames(vault)
  await connection.write(
    `CREATE FULLTEXT INDEX ${quoted(wordIndex)} IF NOT EXISTS FOR (n:${quoted(wordLabel)})
     ON EACH [n.titleStems, n.bodyStems, n.titleForms, n.bodyForms] ${BY_BLANKS}`,
  )
  await connection.write('CALL db.awaitIndex($wordIndex, $await)', { wordIndex, await: AWAIT })
}

/** Migrates the first format, in which all vaults shared one full-text index. */
async function giveVaultsTheirWordIndexes(connection: Connection): Promise<void> {
  const vaults = await connection.read<{ readonly vault: string }>('MATCH (v:RouxVault) RETURN v.vault AS vault')
  for (const { vault } of vaults) {
    const { wordLabel } = wordNames(vault)
    await connection.write(
      `MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0
       CALL (w) { SET w:${quoted(wordLabel)} REMOVE w.owner } IN TRANSACTIONS OF 1000 ROWS`,
      { vault },
    )
    await makeWordIndex(connection, vault)
  }
  await connection.write('DROP INDEX roux_words IF EXISTS')
}

/** Quotes a name, because Cypher accepts no parameters for these names. */
export function quoted(name: string): string {
  if (!/^Roux\w+$|^roux_\w+$/.test(name)) throw invalid("This is not the name of one of Roux's indexes.")
  return `\`${name}\``
}

/** Returns the names of an embedder's indexes. An index holds only vectors of one dimension. */
export function vectorNames(vault: string, embedder: string) {
  const hash = shortHash(JSON.stringify([vault, embedder]))
  return {
    chunkLabel: `RouxChunk_${hash}`,
    nameLabel: `RouxName_${hash}`,
    chunkIndex: `roux_chunk_${hash}`,
    nameIndex: `roux_name_${hash}`,
  }
}

/** An index per vault, because term statistics cover a whole index. */
export function wordNames(vault: string) {
  const hash = shortHash(vault)
  return { wordLabel: `RouxWords_${hash}`, wordIndex: `roux_words_${hash}` }
}
