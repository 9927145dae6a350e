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

export interface RouteLiteral<Sender> {
  /** The path, which is compared with the raw path of a request, without decoding. */
  readonly path: string
  /** The handler of each method. Error responses list the methods in this order. */
  readonly methods: Readonly<Record<string, Answer<Sender>>>
  admit(request: IncomingMessage): Admission<Sender>
  /** True to answer preflight requests from allowed origins. The default is false. */
  readonly answersPreflight?: boolean
}

export interface Route {
  readonly path: string
  readonly answersPreflight: boolean
  methodRefusal(method: string): Refusal | undefined
  /** @returns the refusal, if the request is not admitted */
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

/** Compares paths exactly, without decoding. */
export function findRoute(routes: readonly Route[], { url = '' }: IncomingMessage): Route | undefined {
  const [path] = url.split('?', 1)
  return routes.find((route) => route.path === path)
}

export interface ServerParts {
  readonly load: Load
  readonly limits: Limits
  /** The host names of reverse proxies. */
  readonly hosts: readonly string[]
  /** Refuses requests without a valid token, and all requests while serving is disabled. */
  authorize(request: IncomingMessage): Admission<Principal>
  /** Returns false if the token has changed or serving is disabled. */
  isCurrent(key: string): boolean
}

/** The routes and the sign-in of the public address, where hosted assistants connect. */
export interface PublicSide {
  readonly routes: readonly Route[]
  /** Checks only the `Host` header. */
  isPublic(request: IncomingMessage): boolean
  find(secret: string): Principal | undefined
  isCurrent(key: string): boolean
  /** @returns the URL of a page that opens the note in its application */
  addressOf(note: { readonly folder: string; readonly path: string; readonly title: string }): string
  /** Returns the parameters of the `WWW-Authenticate` header. */
  challenge(): string
}

export interface ExtraRoutes {
  readonly routes: readonly Route[]
  /** Ends long-running work whose token is no longer valid. */
  endUnless(isAllowed: (key: string) => boolean): void
}
