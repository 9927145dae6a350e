import { resolve4 } from 'node:dns/promises'
import { errorCode } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'
import { isLoopbackName, MCP_PATH, type PublicAddress } from '../http/host-and-origin.ts'
import { type FetchOptions, isOnInternet } from './fetch-document.ts'
import { PATHS } from './sign-in.ts'

export interface AddressFault {
  readonly message: string
  readonly hint: string
}

export type ExamineOptions = Pick<FetchOptions, 'resolve' | 'within'>

/** The timeout of Claude, in milliseconds. */
const TIMEOUT_MS = 10_000

/** The user agents of Claude, a library that many hosted assistants use, and an ordinary program. */
const PROGRAMS = ['Claude-User', 'python-httpx', 'curl/8.0']

/** Contacts the server as hosted assistants do, without sending secrets. */
export async function examineAddress(address: PublicAddress, options: ExamineOptions = {}): Promise<readonly AddressFault[]> {
  const { within = TIMEOUT_MS, resolve = recordsOf } = options
  const request = (path: string, init: RequestInit = {}): Promise<Reply> => fetchReply(address.origin + path, init, within)
  const [record, metadata, ...refusals] = await Promise.all([
    faultOfRecord(address.host, resolve),
    request(PATHS.server),
    ...PROGRAMS.map((program) =>
      request(MCP_PATH, { method: 'POST', body: '{}', headers: { 'User-Agent': program, 'Content-Type': 'application/json' } }),
    ),
  ])
  const faults = refusals.map((reply) => faultOfRefusal(reply, address, within))
  const plain = faults.at(-1)
  // If only the ordinary program gets an answer, a filter blocks the other user agents.
  const blocked = PROGRAMS.filter((_, at) => plain === undefined && faults[at] !== undefined)
  const unanswered = plain ?? (blocked.length > 0 ? blocking(blocked) : undefined)
  // If the server is unreachable, missing metadata is not reported.
  return [record, unanswered, plain === undefined ? faultOfMetadata(metadata, address, within) : undefined].filter(
    (problem) => problem !== undefined,
  )
}

type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly kind: 'late' }
  | { readonly kind: 'unreachable'; readonly reason: string }

async function fetchReply(url: string, init: RequestInit, within: number): Promise<Reply> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(within) })
    return { kind: 'answer', status: answer.status, headers: answer.headers, text: await answer.text() }
  } catch (error) {
    const { name, message, cause } = error as Error
    if (name === 'TimeoutError') return { kind: 'late' }
    return { kind: 'unreachable', reason: errorCode(cause) ?? message }
  }
}

async function recordsOf(host: string): Promise<readonly string[]> {
  return isLoopbackName(host) ? ['127.0.0.1'] : resolve4(host)
}

async function faultOfRecord(host: string, resolve: NonNullable<ExamineOptions['resolve']>): Promise<AddressFault | undefined> {
  const records = await resolve(host).catch((error: unknown) => errorCode(error) ?? String(error))
  if (typeof records === 'string')
    return {
      message: `${host} has no address on the internet (${records})`,
      hint: 'Add a DNS A record for it. Hosted assistants connect over IPv4.',
    }
  const inner = records.find((record) => !isOnInternet(record))
  if (inner === undefined) return undefined
  return {
    message: `${host} resolves to ${inner}, which is not a public address`,
    hint: 'Point its A record to a public address. With Tailscale, use Funnel instead of Serve.',
  }
}

/** @returns undefined for this server's own 401 response */
function faultOfRefusal(reply: Reply, address: PublicAddress, within: number): AddressFault | undefined {
  const { resource } = address
  if (reply.kind !== 'answer') return faultOfSilence(reply, address, within)
  const { status, headers, text } = reply
  const challenge = headers.get('www-authenticate') ?? ''
  if (status === 401 && challenge.includes(`resource_metadata="${address.origin}${PATHS.resource}${MCP_PATH}"`)) return undefined
  if (status >= 300 && status < 400)
    return {
      message: `${resource} redirects to ${headers.get('location')}`,
      hint: 'Assistants do not follow redirects. Configure the proxy to forward exactly /mcp, without a trailing slash and without its own login.',
    }
  if (challenge.startsWith('Bearer realm="roux"') || text.includes('The header Host names another server'))
    return {
      message: `${resource} is reached under a name other than ${address.host}`,
      hint: 'Configure the proxy to forward the Host header unchanged (nginx: proxy_set_header Host $host; cloudflared: no httpHostHeader), and start the server with this http.public_url.',
    }
  if (status >= 500)
    return {
      message: `the proxy at ${resource} cannot reach the server (${status})`,
      hint: 'Start "roux serve --http" and point the proxy to the port that it prints.',
    }
  return {
    message: `something other than Roux answers at ${resource} (${status})`,
    hint: 'Configure the proxy to forward every path to "roux serve --http". A login or a bot check in front of it must not cover /mcp.',
  }
}

function blocking(programs: readonly string[]): AddressFault {
  return {
    message: `something in front of the server blocks ${programs.join(' and ')}`,
    hint: 'With Cloudflare, switch off "Block AI bots" and "Bot Fight Mode", or add a rule that skips them for /mcp, /token and /.well-known.',
  }
}

function faultOfMetadata(reply: Reply, address: PublicAddress, within: number): AddressFault | undefined {
  if (reply.kind !== 'answer') return faultOfSilence(reply, address, within)
  const document = parseJson(reply.text)
  const issuer = isRecord(document) ? document.issuer : undefined
  if (issuer === address.origin) return undefined
  if (typeof issuer === 'string')
    return {
      message: `the server states its address as ${issuer}, not ${address.origin}`,
      hint: 'Give the server and this command the same http.public_url, and restart the server.',
    }
  return {
    message: `${address.origin}${PATHS.server} does not describe the server (${reply.status})`,
    hint: 'Configure the proxy to forward every path, not only /mcp.',
  }
}

function faultOfSilence(reply: Exclude<Reply, { kind: 'answer' }>, { origin }: PublicAddress, within: number): AddressFault {
  if (reply.kind === 'late')
    return {
      message: `${origin} does not answer within ${within / 1000} s`,
      hint: 'By then, assistants give up. Check that the tunnel or proxy is running and connects to the port of "roux serve --http".',
    }
  return {
    message: `${origin} cannot be reached from this computer (${reply.reason})`,
    hint: 'Check that the tunnel or proxy is running, and that the certificate is valid for this name.',
  }
}
