import { RouxError } from '../../../core/errors.ts'
import { currentFeeder } from '../feed/lease.ts'
import { readFacts, type VaultFacts } from '../questions.ts'
import type { Connection } from './connection.ts'
import { MIN_VERSION } from './place.ts'
import { INDEXES, onlineIndexes, vectorNames, wordNames } from './schema.ts'

export interface DatabaseFinding {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly hint?: string
}

/** Maximum clock difference, in milliseconds. */
const CLOCKS = 30_000

/** Examines the database without changing anything. */
export async function examineDatabase(connection: Connection): Promise<readonly DatabaseFinding[]> {
  const findings: DatabaseFinding[] = []
  try {
    findings.push(await examineVersion(connection), await examineClock(connection))
    const facts = await readFacts(connection)
    findings.push(
      ...(await examineVault(connection, facts)),
      await examineIndexes(connection, facts),
      await examineRights(connection),
    )
  } catch (error) {
    const { message, hint } = error instanceof RouxError ? error : { message: String(error), hint: undefined }
    findings.push({ state: 'fail', message, ...(hint === undefined ? {} : { hint }) })
  }
  return findings
}

async function examineVersion(connection: Connection): Promise<DatabaseFinding> {
  const [row] = await connection.read<{ readonly version: string; readonly edition: string }>(
    'CALL dbms.components() YIELD versions, edition RETURN versions[0] AS version, edition LIMIT 1',
  )
  const { version = '', edition = '' } = row ?? {}
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])
  const message = `Neo4j ${version}, ${edition}`
  return isOld
    ? { state: 'fail', message: `${message} is too old`, hint: `Use ${MIN_VERSION.join('.')} or newer.` }
    : { state: 'ok', message }
}

async function examineClock(connection: Connection): Promise<DatabaseFinding> {
  const before = Date.now()
  const [row] = await connection.read<{ readonly now: number }>('RETURN timestamp() AS now')
  const difference = Math.abs((row?.now ?? 0) - (before + Date.now()) / 2)
  if (difference < CLOCKS) return { state: 'ok', message: "its clock agrees with this computer's" }
  const message = `its clock and this computer's differ by ${Math.round(difference / 1_000)} seconds`
  return {
    state: 'warn',
    message,
    hint: "This only affects the age of notes without dates; leases use the database's clock.",
  }
}

async function examineVault(connection: Connection, facts: VaultFacts | undefined): Promise<readonly DatabaseFinding[]> {
  if (facts === undefined) {
    return [
      {
        state: 'warn',
        message: `it has no vault "${connection.vault}" yet`,
        hint: 'Feed it with roux index <folder> --store neo4j.',
      },
    ]
  }
  const { generation, files, complete, committedAt, heartbeatAt, now } = facts
  const age = committedAt === null ? '' : `, last changed ${Math.round((now - committedAt) / 1_000)} seconds ago`
  const state: DatabaseFinding = complete
    ? { state: 'ok', message: `vault "${connection.vault}": ${files} files, generation ${generation}${age}` }
    : {
        state: 'warn',
        message: `vault "${connection.vault}" is not complete yet${age}`,
        hint: 'Complete it with roux index <folder> --store neo4j.',
      }
  const feeder = await currentFeeder(connection)
  if (feeder !== undefined) return [state, { state: 'ok', message: `fed by ${feeder}` }]
  if (heartbeatAt === null) return [state, { state: 'ok', message: 'its folder is not being watched; roux feed would watch it' }]
  const silent = `its folder has not been watched for ${Math.round((now - heartbeatAt) / 1_000)} seconds`
  return [state, { state: 'warn', message: silent, hint: 'Restart "roux feed" on the computer with the folder.' }]
}

async function examineIndexes(connection: Connection, facts: VaultFacts | undefined): Promise<DatabaseFinding> {
  const online = await onlineIndexes(connection)
  const missing = [...INDEXES, ...ownIndexes(connection.vault, facts)].filter((name) => !online.has(name))
  if (missing.length === 0) return { state: 'ok', message: 'all indexes are online' }
  return {
    state: 'warn',
    message: `indexes are missing or not ready: ${missing.join(', ')}`,
    hint: 'Create them with roux index --store neo4j.',
  }
}

function ownIndexes(vault: string, facts: VaultFacts | undefined): readonly string[] {
  if (facts === undefined) return []
  const ofVectors = facts.embedders
    .filter(({ indexed }) => indexed === true)
    .flatMap(({ embedder }) => {
      const { chunkIndex, nameIndex } = vectorNames(vault, embedder)
      return [chunkIndex, nameIndex]
    })
  return [wordNames(vault).wordIndex, ...ofVectors]
}

async function examineRights(connection: Connection): Promise<DatabaseFinding> {
  try {
    const transaction = await connection.open()
    await transaction.run('CREATE (:RouxProbe)')
    await transaction.rollback()
    return { state: 'ok', message: 'its user may write' }
  } catch (error) {
    const message = error instanceof RouxError ? error.message : String(error)
    return {
      state: 'warn',
      message: `its user may only read: ${message}`,
      hint: 'Read access is enough to serve; PageRank and feeding need write access.',
    }
  }
}
