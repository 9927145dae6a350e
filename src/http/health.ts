import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { sendJson } from './refusal.ts'
import { type Admission, defineRoute, type Route } from './routes.ts'
import type { Access, Principal } from './tokens.ts'

const HEALTH_PATH = '/health'

const HEALTH = '{"status":"ok"}'

export type HealthFor = (access: Access) => Promise<HealthReport | undefined>

export interface HealthReport {
  readonly isWell: boolean
  readonly vaults: readonly unknown[]
}

interface HealthParts {
  authorize(request: IncomingMessage): Admission<Principal>
  readonly healthFor: HealthFor
}

/** A route that responds even while serving is disabled. A client with a token also receives the state of the vaults. */
export function healthRoute({ authorize, healthFor }: HealthParts): Route {
  const answer = async ({ response, sender }: { readonly response: ServerResponse; readonly sender: Access | undefined }) => {
    const report = sender === undefined ? undefined : await healthFor(sender)
    if (report === undefined) return sendJson(response, 200, HEALTH)
    const { isWell, vaults } = report
    sendJson(response, isWell ? 200 : 503, JSON.stringify({ status: isWell ? 'ok' : 'degraded', vaults }))
  }
  return defineRoute({
    path: HEALTH_PATH,
    methods: { GET: answer, HEAD: answer },
    admit(request) {
      const admission = authorize(request)
      return { sender: 'sender' in admission ? admission.sender.access : undefined }
    },
  })
}

export type Occupant = 'nothing' | 'roux' | 'other'

const TIMEOUT_MS = 1_000

/** The maximum length in characters. A longer response cannot come from Roux. */
const MAX_LENGTH = 200

export function askHealth(host: string, port: number): Promise<Occupant> {
  return new Promise((resolve) => {
    const request = get(
      { host, port, path: HEALTH_PATH, headers: { Host: 'localhost' }, agent: false, timeout: TIMEOUT_MS },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > MAX_LENGTH) request.destroy()
        })
        answer.on('close', () => resolve(text === HEALTH ? 'roux' : 'other'))
      },
    )
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' || code === 'EADDRNOTAVAIL' ? 'nothing' : 'other'),
    )
  })
}
