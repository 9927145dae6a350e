import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from './access.ts'
import { sendJson } from './refusal.ts'
import { type Admission, defineRoute, type Route } from './routes.ts'
import type { Principal } from './token-gate.ts'

/** Where everyone may ask whether the server is there. */
export const HEALTH_PATH = '/health'
/** The whole answer to senders without a token. */
export const HEALTH = '{"status":"ok"}'

/** The additional answer for a token's owner; `undefined` if there is none. */
export type HealthFor = (access: Access) => Promise<HealthReport | undefined>

export interface HealthReport {
  /** Whether every vault can answer. */
  readonly isWell: boolean
  readonly vaults: readonly unknown[]
}

interface HealthParts {
  authorize(request: IncomingMessage): Admission<Principal>
  readonly healthFor: HealthFor
}

/** Answers that the server is there, also while serving the protocol is switched off; and how its vaults are, to those with a token. */
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
    // Without a known token the sender is anonymous and gets the short answer.
    admit(request) {
      const admission = authorize(request)
      return { sender: 'sender' in admission ? admission.sender.access : undefined }
    },
    answersPreflight: false,
  })
}
