import type { ServerResponse } from 'node:http'
import { sendJson } from './refusal.ts'
import { defineRoute } from './routes.ts'

/** Where everyone may ask whether the server is there. */
export const HEALTH_PATH = '/health'
/** The whole of what is answered there. */
export const HEALTH = '{"status":"ok"}'

const answer = ({ response }: { readonly response: ServerResponse }): void => sendJson(response, 200, HEALTH)

/** Answers that the server is there, also while serving the protocol is switched off. */
export const healthRoute = defineRoute({
  path: HEALTH_PATH,
  methods: { GET: answer, HEAD: answer },
  admit: () => ({ sender: undefined }),
  answersPreflight: false,
})
