import type { IncomingMessage } from 'node:http'
import type { Limits } from './limits.ts'
import { hostName, inUrl, isLoopbackName, isLoopbackOrigin } from './names.ts'
import { type Refusal, refusal } from './refusal.ts'

/** The settings that decide which requests are served. */
export interface AccessPolicy {
  /** Off, everything but `/health` is refused: another program's server may carry this one. */
  readonly enabled: boolean
  /** The address that is listened at. */
  readonly host: string
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

type Check = (request: IncomingMessage, policy: AccessPolicy, limits: Limits) => Refusal | undefined

/** Checks where a request comes from, before its token. */
export const checkAddress: Check = firstOf([checkHeaderCount, checkSingleHeaders, checkHost, checkOrigin])

/** Checks the form of a protocol request. */
export const checkForm = firstOf([checkContentType, checkEncoding, checkAccept])

function firstOf<Given extends readonly unknown[]>(
  checks: readonly ((...given: Given) => Refusal | undefined)[],
): (...given: Given) => Refusal | undefined {
  return (...given) => {
    for (const check of checks) {
      const found = check(...given)
      if (found !== undefined) return found
    }
    return undefined
  }
}

function checkHeaderCount({ rawHeaders }: IncomingMessage, _: AccessPolicy, { headers }: Limits): Refusal | undefined {
  return rawHeaders.length / 2 > headers
    ? refusal(431, `There are more than ${headers} headers.`, { hint: 'Send fewer.' })
    : undefined
}

const SINGLE = ['host', 'authorization', 'origin', 'content-type', 'content-encoding', 'mcp-session-id', 'mcp-protocol-version']

/** With two such headers, a proxy in front may have checked the other one. */
function checkSingleHeaders({ headersDistinct }: IncomingMessage): Refusal | undefined {
  const twice = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  return twice === undefined ? undefined : refusal(400, `The header ${twice} is there more than once.`, { hint: 'Send it once.' })
}

/** A page on the web can have its own name lead to this computer, but not another name in this header. */
function checkHost({ headers, socket }: IncomingMessage, { host, hosts }: AccessPolicy): Refusal | undefined {
  const name = hostName(headers.host ?? '')
  if (name !== undefined && (isLoopbackName(name) || [host, socket.localAddress ?? '', ...hosts].map(inUrl).includes(name)))
    return undefined
  return refusal(403, 'This server is not known by the name in the header Host.', {
    hint: 'The setting http.hosts lists the names that it is reached by, e.g. behind a reverse proxy.',
  })
}

function checkOrigin({ headers }: IncomingMessage, { origins }: AccessPolicy): Refusal | undefined {
  const { origin } = headers
  if (origin === undefined || isLoopbackOrigin(origin.toLowerCase()) || isListed(origin, origins)) return undefined
  return refusal(403, 'Pages of this origin may not connect.', { hint: 'The setting http.origins lists those that may.' })
}

function isListed(origin: string, origins: readonly string[]): boolean {
  return origins.some((listed) => listed.toLowerCase().replace(/\/$/, '') === origin.toLowerCase())
}

function checkContentType({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method !== 'POST' || /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? ''))
    return undefined
  return refusal(415, 'The body must be JSON in UTF-8.', { hint: 'Send the header Content-Type: application/json.' })
}

function checkEncoding({ headers }: IncomingMessage): Refusal | undefined {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return undefined
  return refusal(415, 'The body must not be compressed.', {
    hint: 'Send it without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}

function checkAccept({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method === 'DELETE') return undefined
  const wanted = method === 'GET' ? 'text/event-stream' : 'application/json'
  if (accepts(headers.accept ?? '*/*', wanted)) return undefined
  return refusal(406, `The answer is of the type ${wanted}.`, {
    hint: `Send the header Accept: ${method === 'GET' ? wanted : 'application/json, text/event-stream'}.`,
  })
}

/** Whether an `Accept` header accepts a type, directly or through a wildcard. */
function accepts(header: string, type: string): boolean {
  const ranges = header.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  return ranges.some((range) => range === type || range === '*/*' || range === `${type.split('/', 1)[0]}/*`)
}
