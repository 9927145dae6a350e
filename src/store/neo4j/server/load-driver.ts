import { RouxError } from '../../../core/errors.ts'

export type Neo4j = Pick<typeof import('neo4j-driver'), 'driver' | 'auth'>

/** The driver, loaded when it is needed. @throws RouxError `STORE_UNAVAILABLE` with the command that installs it */
export async function loadDriver(): Promise<Neo4j> {
  try {
    return await import('neo4j-driver')
  } catch (cause) {
    throw new RouxError('STORE_UNAVAILABLE', 'The package neo4j-driver, which speaks to Neo4j, is not installed.', {
      hint: 'Run `npm install neo4j-driver@6` where Roux is installed (`npm install -g neo4j-driver@6` for a global one).',
      cause,
    })
  }
}
