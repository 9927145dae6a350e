import { get } from 'node:http'
import { HEALTH, HEALTH_PATH } from './health-route.ts'

/** Who listens on a port: nobody, a Roux, or another program. */
export type Occupant = 'nothing' | 'roux' | 'other'

const PATIENCE_MS = 1_000
/** A longer answer is another program's. */
const LONGEST = 200

/** Asks what listens at a port of this computer. */
export function askHealth(host: string, port: number): Promise<Occupant> {
  return new Promise((resolve) => {
    const asked = get(
      { host, port, path: HEALTH_PATH, headers: { Host: 'localhost' }, agent: false, timeout: PATIENCE_MS },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > LONGEST) asked.destroy()
        })
        answer.on('close', () => resolve(text === HEALTH ? 'roux' : 'other'))
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' || code === 'EADDRNOTAVAIL' ? 'nothing' : 'other'),
    )
  })
}
