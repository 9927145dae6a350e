import type { Settings } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import { askHealth } from '../../http/ask-health.ts'
import { isEveryAddress, isLoopbackAddress } from '../../http/names.ts'
import { isOpenToOthers, modeOf, readTokens } from '../../http/token-file.ts'
import type { Finding } from './checks.ts'

/** Whether serving over HTTP would work: the port, the address, the tokens. Nothing is changed. */
export async function checkHttp(http: Settings['http'], tokenFile: string): Promise<readonly Finding[]> {
  return [await checkPort(http), checkTokens(tokenFile)]
}

async function checkPort({ host, port }: Settings['http']): Promise<Finding> {
  const place = `port ${port} of ${host}`
  if (port === 0) return { check: 'http', state: 'ok', message: 'any port that is free' }
  const occupant = await askHealth(isEveryAddress(host) ? '127.0.0.1' : host, port)
  if (occupant === 'roux')
    return {
      check: 'http',
      state: 'ok',
      message: `a Roux serves at ${place}`,
      hint: 'To serve another vault besides, choose another port: "roux serve --http 0" takes any that is free.',
    }
  if (occupant === 'other')
    return {
      check: 'http',
      state: 'warn',
      message: `another program has ${place}`,
      hint: 'Set http.port to another one, or to 0 for any that is free.',
    }
  if (isLoopbackAddress(host)) return { check: 'http', state: 'ok', message: `${place} is free` }
  return {
    check: 'http',
    state: 'warn',
    message: `${place} is free, and other computers could connect`,
    hint: 'What is sent is not encrypted: set http.host to 127.0.0.1 behind a reverse proxy with TLS.',
  }
}

function checkTokens(file: string): Finding {
  try {
    const tokens = readTokens(file)
    if (tokens === undefined) return { check: 'tokens', state: 'ok', message: 'none yet; the first is made when it is needed' }
    const mode = modeOf(file)
    if (mode === undefined || !isOpenToOthers(mode))
      return { check: 'tokens', state: 'ok', message: `${tokens.length} in ${file}` }
    return {
      check: 'tokens',
      state: 'warn',
      message: `other users of this computer can read ${file} (mode ${mode.toString(8)})`,
      hint: 'The next "roux token list" or server corrects it; "roux token rotate" gives new secrets.',
    }
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return { check: 'tokens', state: 'fail', message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
  }
}
