import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Limits, Load } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'
import type { Principal } from './tokens.ts'

/** The accepted sender, or the reason for a refusal. */
export type Admission<Sender> = { readonly sender: Sender } | { readonly refusal: Refusal }

/** One request that was let in, and the response to it. */
export interface Exchange<Sender> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly sender: Sender
}

export type Answer<Sender> = (exchange: Exchange<Sender>) => Promise<void> | void

/** Something that is served at a path. */
export interface RouteLiteral<Sender> {
  /** Spelled exactly so: nothing of a request's path is decoded or resolved. */
  readonly path: string
  /** By the method, in the order in which they are named to clients. */
  readonly methods: Readonly<Record<string, Answer<Sender>>>
  /** Its own way of letting in: everyone, the bearer of a token, … */
  admit(request: IncomingMessage): Admission<Sender>
  /** True if a preflight tells pages of other allowed origins what they may send. */
  readonly answersPreflight: boolean
}

/** A route in the table; its type of sender is private to it. */
export interface Route {
  readonly path: string
  readonly answersPreflight: boolean
  /** The refusal of a method that the path does not know; `undefined` of one that it does. */
  methodRefusal(method: string): Refusal | undefined
  /** Lets a request in and answers it, or gives the refusal. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined>
}

/** Makes a route of its literal. */
export function defineRoute<Sender>({ path, methods, admit, answersPreflight }: RouteLiteral<Sender>): Route {
  const answers = new Map(Object.entries(methods))
  const names = [...answers.keys()]
  const allowed = [...names, ...(answersPreflight ? ['OPTIONS'] : [])].join(', ')
  return {
    path,
    answersPreflight,
    methodRefusal: (method) =>
      answers.has(method)
        ? undefined
        : refusal(405, `${path} does not support ${method}.`, {
            hint: `It knows ${names.join(', ')}.`,
            headers: { Allow: allowed },
          }),
    async serve(request, response) {
      const admission = admit(request)
      if ('refusal' in admission) return admission.refusal
      await answers.get(request.method ?? '')?.({ request, response, sender: admission.sender })
      return undefined
    },
  }
}

/** Finds the route of a path exactly as written; there is one spelling only. */
export function findRoute(routes: readonly Route[], { url = '' }: IncomingMessage): Route | undefined {
  const [path] = url.split('?', 1)
  return routes.find((route) => route.path === path)
}

/** Parts of the server that added routes use. */
export interface ServerParts {
  readonly load: Load
  readonly limits: Limits
  /** The names that reverse proxies are reached by. */
  readonly hosts: readonly string[]
  /** Identifies the sender by its token, while serving is switched on. */
  authorize(request: IncomingMessage): Admission<Principal>
  /** True if a token still has its rights and serving is switched on. */
  isCurrent(key: string): boolean
}

/** Routes beside those of the protocol. */
export interface ExtraRoutes {
  readonly routes: readonly Route[]
  /** Ends what lasts and came from a token, but for those that may go on. */
  endUnless(mayGoOn: (key: string) => boolean): void
}
