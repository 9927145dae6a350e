import { RouxError, SnapshotOutdated } from '../../../core/errors.ts'
import { LEAST_VERSION, type Neo4jPlace, serverOf } from './place.ts'

/** What a failure of the server or the way to it means to a person: without a password, and without what was asked. */
export function explainError(error: unknown, { url, user, database }: Pick<Neo4jPlace, 'url' | 'user' | 'database'>): unknown {
  if (error instanceof RouxError || error instanceof SnapshotOutdated || !(error instanceof Error)) return error
  if (error.name === 'AbortError') return error
  const code = codeOf(error)
  if (code === undefined) return error
  const server = `Neo4j at ${serverOf(url)}`
  const named = database === '' ? 'the default database' : `the database "${database}"`
  const unavailable = (message: string, hint: string, isTransient = false) =>
    new RouxError('STORE_UNAVAILABLE', message, { hint, isTransient, cause: error })
  if (code === 'Neo.ClientError.Security.Unauthorized' || code === 'Neo.ClientError.Security.CredentialsExpired') {
    const hint = 'Set store.neo4j.user, and the password in the variable ROUX_STORE_NEO4J_PASSWORD.'
    return unavailable(`${server} refused the password of the user "${user}".`, hint)
  }
  if (code === 'Neo.ClientError.Security.AuthenticationRateLimit') {
    return unavailable(
      `${server} refuses the user "${user}" for a while, after too many wrong passwords.`,
      'Wait a few seconds.',
      true,
    )
  }
  if (READ_ONLY.has(code)) {
    const hint = 'Make it writable; where it is a cluster, set store.neo4j.url to neo4j://… instead of bolt://….'
    return unavailable(`${server} takes no changes in ${named}.`, hint)
  }
  if (code.startsWith('Neo.ClientError.Security.')) {
    const hint = 'Grant it reading; to feed a vault also writing, and making indexes and constraints.'
    return unavailable(`${server} does not let the user "${user}" do this in ${named}.`, hint)
  }
  if (code === 'Neo.ClientError.Database.DatabaseNotFound') {
    return unavailable(`${server} has no ${named.slice(4)}.`, 'Set store.neo4j.database to one that is there, or leave it empty.')
  }
  if (UNREACHABLE.has(code) || code === 'Neo.TransientError.General.DatabaseUnavailable') {
    const hint = 'Start it, or set store.neo4j.url to where it is. The next call tries again.'
    return unavailable(`${server} cannot be reached.`, hint, true)
  }
  if (code.includes('TransactionTimedOut') || code === TIMED_OUT) {
    return unavailable(`${server} took too long.`, 'Call again, or ask for less.', true)
  }
  if (code.includes('MemoryPoolOutOfMemory') || code.includes('OutOfMemory')) {
    const hint = 'Give it more memory (server.memory.heap.max_size, dbms.memory.transaction.total.max).'
    return unavailable(`${server} has too little memory for this.`, hint)
  }
  if (code === 'Neo.ClientError.Statement.SyntaxError' || code === 'Neo.ClientError.Procedure.ProcedureNotFound') {
    return unavailable(`${server} does not understand what it was asked.`, `Use Neo4j ${LEAST_VERSION.join('.')} or newer.`)
  }
  if (code === 'Neo.ClientError.Procedure.ProcedureCallFailed' || code.startsWith('Neo.ClientError.Schema.')) {
    const hint = 'Run `roux index --store neo4j` once: it makes what is missing.'
    return unavailable(`An index or constraint of ours is missing in ${named}.`, hint)
  }
  return unavailable(`${server} could not answer (${code}).`, 'Call again; if it stays so, look into the log of Neo4j.', true)
}

/** Our own code for a server that does not answer in time. */
export const TIMED_OUT = 'TimedOut'

/** The database is read-only, or this member of a cluster is. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase',
  'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase',
  'Neo.ClientError.Cluster.NotALeader',
])

const UNREACHABLE: ReadonlySet<string> = new Set(['ServiceUnavailable', 'SessionExpired', 'ECONNREFUSED', 'N/A'])

function codeOf(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Whether the very same may succeed at once over another connection. */
export function isLostConnection(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : undefined
  return code === 'ServiceUnavailable' || code === 'SessionExpired' || code === 'Neo.TransientError.Transaction.DeadlockDetected'
}
