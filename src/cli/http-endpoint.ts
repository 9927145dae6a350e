import { userFolders } from '../config/folders.ts'
import type { Settings } from '../config/settings.ts'
import { RouxError } from '../core/errors.ts'
import { openTokens, tokenFileIn } from '../http/token-file.ts'
import { DEFAULT_NAME, requireToken } from '../http/tokens.ts'
import type { HttpEndpoint } from '../install/client.ts'
import type { Host } from './host.ts'

/**
 * Where a server over HTTP answers on this computer, and the token that it takes; one is made where there is none.
 * @throws RouxError `INVALID_SETTINGS` where the port is another one each time, or the tokens are damaged
 */
export function httpEndpoint({ env }: Pick<Host, 'env'>, { http: { port } }: Settings): HttpEndpoint {
  if (port === 0)
    throw new RouxError('INVALID_SETTINGS', 'With http.port: 0 the server is at another port each time.', {
      hint: 'Set http.port to one that is free.',
    })
  const { secret } = requireToken(openTokens(tokenFileIn(userFolders(env).state)), DEFAULT_NAME)
  return { url: `http://127.0.0.1:${port}/mcp`, token: secret }
}
