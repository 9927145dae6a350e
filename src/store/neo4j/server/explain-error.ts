import { RouxError, SnapshotOutdated } from '../../../core/errors.ts'
import { MIN_VERSION, type Neo4jPlace, serverOf } from './place.ts'

interface Failure {
  readonly code: string
  readonly error: Error
  readonly place: Pick<Neo4jPlace, 'url' | 'user' | 'password' | 'database'>
  readonly server: string
  readonly named: string
}

interface Explanation {
  fits(failure: Failure): boolean
  message(failure: Failure): string
  readonly hint: string
  readonly isTransient?: true
}

/** The explanations of errors. The first match is used. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    fits: ({ code, place }) => NOT_ADMITTED.has(code) && place.password === '',
    message: ({ server }) => `${server} requires a password, but none is set.`,
    hint: 'Set the variable ROUX_STORE_NEO4J_PASSWORD, or write it to the file named by store.neo4j.password_file.',
  },
  {
    fits: ({ code }) => NOT_ADMITTED.has(code),
    message: ({ server, place }) => `${server} refused the password of the user "${place.user}".`,
    hint: 'Set store.neo4j.user, and the password in the variable ROUX_STORE_NEO4J_PASSWORD.',
  },
  {
    fits: ({ code }) => code === 'Neo.ClientError.Security.AuthenticationRateLimit',
    message: ({ server, place }) => `${server} temporarily refuses the user "${place.user}" after too many wrong passwords.`,
    hint: 'Wait a few seconds.',
    isTransient: true,
  },
  {
    fits: ({ error }) => /needs to be restarted|critical error|No space left on device/i.test(error.message),
    message: ({ server }) => `${server} has stopped after an internal error, such as a full disk.`,
    hint: 'Free space on its disk and restart Neo4j; see its log for details.',
  },
  {
    fits: ({ code }) => READ_ONLY.has(code),
    message: ({ server, named }) => `${server} does not accept changes in ${named}.`,
    hint: 'Make it writable; for a cluster, set store.neo4j.url to neo4j://… instead of bolt://….',
  },
  {
    fits: ({ code }) => code.startsWith('Neo.ClientError.Security.'),
    message: ({ server, named, place }) => `${server} does not let the user "${place.user}" do this in ${named}.`,
    hint: 'Grant it read access and, to feed a vault, write access and the right to create indexes and constraints.',
  },
  {
    fits: ({ code }) => code === 'Neo.ClientError.Database.DatabaseNotFound',
    message: ({ server, named }) => `${server} has no ${named.slice('the '.length)}.`,
    hint: 'Set store.neo4j.database to an existing database, or leave it empty.',
  },
  {
    fits: (failure) => isTls(failure) && /certificate/i.test(reasonOf(failure)),
    message: ({ server }) => `${server} has a certificate that is not trusted here.`,
    hint: 'Add its authority to NODE_EXTRA_CA_CERTS, or write +ssc instead of +s to accept any certificate.',
  },
  {
    fits: (failure) => isTls(failure) && /secure TLS|SSL|EPROTO/i.test(reasonOf(failure)),
    message: ({ server }) => `${server} does not speak TLS.`,
    hint: 'Write store.neo4j.url without +s, or switch on TLS in Neo4j (server.bolt.tls_level).',
  },
  {
    fits: ({ code, error }) => UNREACHABLE.has(code) || 'syscall' in error,
    message: ({ server }) => `${server} cannot be reached.`,
    hint: 'Start it, or set store.neo4j.url to its address. The next call tries again.',
    isTransient: true,
  },
  {
    fits: ({ code }) => code.includes('TransactionTimedOut') || code === TIMED_OUT,
    message: ({ server }) => `${server} took too long.`,
    hint: 'Call again, or request less.',
    isTransient: true,
  },
  {
    fits: ({ code }) => code.includes('MemoryPoolOutOfMemory') || code.includes('OutOfMemory'),
    message: ({ server }) => `${server} does not have enough memory for this.`,
    hint: 'Give it more memory (server.memory.heap.max_size, dbms.memory.transaction.total.max).',
  },
  {
    fits: ({ code }) =>
      code === 'Neo.ClientError.Statement.SyntaxError' || code === 'Neo.ClientError.Procedure.ProcedureNotFound',
    message: ({ server }) => `${server} does not understand a query.`,
    hint: `Use Neo4j ${MIN_VERSION.join('.')} or newer.`,
  },
  {
    fits: ({ code }) => code === 'Neo.ClientError.Procedure.ProcedureCallFailed' || code.startsWith('Neo.ClientError.Schema.'),
    message: ({ named }) => `One of Roux's indexes or constraints is missing in ${named}.`,
    hint: 'Run `roux index --store neo4j` once to create it.',
  },
]

/** Explains a failure of the server or the connection, without password and query. */
export function explainError(error: unknown, place: Failure['place']): unknown {
  if (error instanceof RouxError || error instanceof SnapshotOutdated || !(error instanceof Error)) return error
  if (error.name === 'AbortError') return error
  const code = codeOf(error)
  if (code === undefined) return error
  const { url, database } = place
  const server = `Neo4j at ${serverOf(url)}`
  const databaseName = database === '' ? 'the default database' : `the database "${database}"`
  const failure: Failure = { code, error, place, server, named: databaseName }
  const { message, hint, isTransient = false } = EXPLANATIONS.find(({ fits }) => fits(failure)) ?? UNKNOWN
  return new RouxError('STORE_UNAVAILABLE', message(failure), { hint, isTransient, cause: error })
}

const UNKNOWN: Omit<Explanation, 'fits'> = {
  message: ({ server, code }) => `${server} could not answer (${code}).`,
  hint: 'Call again. If the error persists, check the log of Neo4j.',
  isTransient: true,
}

/** Returns true if the database rejects writes by this user or by anyone. */
export function isWriteRefused(error: unknown): boolean {
  const { cause } = error instanceof RouxError ? error : {}
  const code = cause instanceof Error ? (codeOf(cause) ?? '') : ''
  return READ_ONLY.has(code) || code === 'Neo.ClientError.Security.Forbidden'
}

/** The code that Roux uses for a timeout. */
export const TIMED_OUT = 'TimedOut'

const NOT_ADMITTED: ReadonlySet<string> = new Set([
  'Neo.ClientError.Security.Unauthorized',
  'Neo.ClientError.Security.CredentialsExpired',
])

/** The codes of a database or cluster member that is read-only. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase',
  'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase',
  'Neo.ClientError.Cluster.NotALeader',
])

/** The generic code that the driver uses for closed connections. */
const CLOSED = 'N/A'
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ServiceUnavailable',
  'SessionExpired',
  'Neo.TransientError.General.DatabaseUnavailable',
  CLOSED,
])

function isTls({ place }: Failure): boolean {
  return /\+s(?:sc)?:/.test(place.url)
}

/** Returns the reason, which the driver reports only as text, and for a cluster in the cause. */
function reasonOf({ error }: Failure): string {
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

/** Returns `undefined` if the error comes neither from Neo4j nor from the network. */
function codeOf(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && code !== '') return code
  return error.name === 'Neo4jError' || 'syscall' in error ? CLOSED : undefined
}

/** Returns true if the statement may succeed on a new connection. */
export function isLostConnection(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : undefined
  return code === 'ServiceUnavailable' || code === 'SessionExpired' || code === 'Neo.TransientError.Transaction.DeadlockDetected'
}
