import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Limits, Load } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'
import type { Principal } from './tokens.ts'

export type Admission<Sender> = { readonly sender: Sender } | { readonly refusal: Refusal }

export interface Exchange<Sender> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly sender: Sender
}

export type Answer<Sender> = (exchange: Exchange<Sender>) => Promise<void> | void

/** Handles the requests for one path. */
export interface RouteLiteral<Sender> {
  /** Exact path. A request's path is neither decoded nor resolved before the comparison. */
  readonly path: string
  /** Handlers by method, in the order in which the methods are listed to clients. */
  readonly methods: Readonly<Record<string, Answer<Sender>>>
  /** Decides who may use the route, such as everyone or the bearer of a token. */
  admit(request: IncomingMessage): Admission<Sender>
  /** True if preflight requests are answered, so pages of other allowed origins may send requests. Default: false. */
  readonly answersPreflight?: boolean
}

/** An entry in the routing table, without the type of its sender. */
export interface Route {
  readonly path: string
  readonly answersPreflight: boolean
  methodRefusal(method: string): Refusal | undefined
  /** Handles a request if it is admitted. Otherwise returns the refusal. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined>
}

export function defineRoute<Sender>({ path, methods, admit, answersPreflight = false }: RouteLiteral<Sender>): Route {
  const answers = new Map(Object.entries(methods))
  const names = [...answers.keys()]
  const allowedMethods = [...names, ...(answersPreflight ? ['OPTIONS'] : [])].join(', ')
  return {
    path,
    answersPreflight,
    methodRefusal: (method) =>
      answers.has(method)
        ? undefined
        : refusal(405, `${path} does not support ${method}.`, {
            hint: `Supported methods: ${names.join(', ')}.`,
            headers: { Allow: allowedMethods },
          }),
    async serve(request, response) {
      const admission = admit(request)
      if ('refusal' in admission) return admission.refusal
      await answers.get(request.method ?? '')?.({ request, response, sender: admission.sender })
      return undefined
    },
  }
}

/** Finds the route for a path exactly as written. No route has alternative spellings. */
export function findRoute(routes: readonly Route[], { url = '' }: IncomingMessage): Route | undefined {
  const [path] = url.split('?', 1)
  return routes.find((route) => route.path === path)
}

export interface ServerParts {
  readonly load: Load
  readonly limits: Limits
  /** Host names of reverse proxies. */
  readonly hosts: readonly string[]
  /** Identifies the sender by its token. Refuses if serving is disabled. */
  authorize(request: IncomingMessage): Admission<Principal>
  /** Checks whether serving is enabled and a token still has its permissions. */
  isCurrent(key: string): boolean
}

/** Routes and sign-in that exist only at the public address, where hosted assistants connect. */
export interface PublicSide {
  readonly routes: readonly Route[]
  /** Checks whether a request's `Host` header names the public address. Nothing else is considered. */
  isPublic(request: IncomingMessage): boolean
  /** Returns the principal of an access token, or `undefined` if there is none. */
  find(secret: string): Principal | undefined
  /** Checks whether a connection still exists. */
  isCurrent(key: string): boolean
  /** Returns the URL of a page that opens a note in its application. */
  addressOf(note: { readonly folder: string; readonly path: string; readonly title: string }): string
  /** Returns the `WWW-Authenticate` parameters that tell a refused client how to sign in. */
  challenge(): string
}

/** Routes in addition to those of the protocol. */
export interface ExtraRoutes {
  readonly routes: readonly Route[]
  /** Ends long-running work whose token may no longer be used. */
  endUnless(isAllowed: (key: string) => boolean): void
}
