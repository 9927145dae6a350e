import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RouxError } from '../core/errors.ts'
import type { HttpEndpoint } from '../install/client.ts'

const PORT = 7583

/**
 * Where a server over HTTP answers on this computer, and the token that it takes.
 * @throws RouxError when no token was made yet
 */
export function readHttpEndpoint(stateFolder: string): HttpEndpoint {
  const path = join(stateFolder, 'tokens.json')
  const token = readToken(path)
  if (token !== undefined) return { url: `http://127.0.0.1:${PORT}/mcp`, token }
  throw new RouxError('PROVIDER_ERROR', `There is no token in ${path} yet.`, {
    hint: 'The first "roux serve --http" makes one; or leave out --http, and the program starts its own server.',
  })
}

function readToken(path: string): string | undefined {
  try {
    const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: readonly { name: string; secret: unknown }[] }
    const secret = (tokens.find(({ name }) => name === 'default') ?? tokens[0])?.secret
    return typeof secret === 'string' ? secret : undefined
  } catch {
    return undefined
  }
}
