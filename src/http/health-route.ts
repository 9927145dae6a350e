import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from './access.ts'
import { sendJson } from './refusal.ts'
import { type Admission, defineRoute, type Route } from './routes.ts'
import type { Principal } from './token-gate.ts'

/** Where everyone may ask whether the server is there. */
export const HEALTH_PATH = '/health'
/** The whole of what is answered there to those without a token. */
export const HEALTH = '{"status":"ok"}'

/** What the holder of a token is told besides; `undefined` where that is nothing. */
export type HealthFor = (access: Access) => Promise<HealthReport | undefined>

export interface HealthReport {
  /** Whether everything can be answered. */
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
    // Who has no token that is known here is no one, and is told as much.
    admit(request) {
      const admission = authorize(request)
      return { sender: 'sender' in admission ? admission.sender.access : undefined }
    },
    answersPreflight: false,
  })
}
