import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { quoted } from '../app/answer/truncate.ts'
import type { GraphCore } from '../app/graph-core.ts'
import { findPicture, MAX_PICTURE_BYTES } from '../app/links/find-picture.ts'
import { linkedFiles } from '../app/links/linked-files.ts'
import { pageJson } from '../app/links/picture.ts'
import { pageNote } from '../app/read/page-note.ts'
import type { Vaults } from '../app/vaults.ts'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { type EventStream, eventStream } from '../http/event-stream.ts'
import { readBody } from '../http/read-body.ts'
import { refusal, sendJson, sendRefusal } from '../http/refusal.ts'
import { type Admission, defineRoute, type Exchange, type ExtraRoutes, type Route, type ServerParts } from '../http/routes.ts'
import type { Access } from '../http/tokens.ts'
import { callTool } from '../mcp/calls/call-tool.ts'
import { errorResult, type Log, toolDisabled } from '../mcp/calls/tool-result.ts'
import { vaultOf } from '../mcp/calls/vault-arguments.ts'
import type { SwitchedOffBy, Tool } from '../mcp/definition/define-tool.ts'
import type { EventFeed } from '../mcp/events/events.ts'
import { assetRoutes, secure } from './assets.ts'
import { admitPage, admitSession, type WebSession, type WebSessions, webSessions } from './sessions.ts'

const OPEN_ELSEWHERE = { hint: 'Open it in another program.' }
const TOO_LARGE = `Images of more than ${MAX_PICTURE_BYTES >> 20} MB are not shown here.`

export interface WebOptions {
  readonly folder: string
  readonly tools: readonly Tool[]
  readonly log: Log
  vaultsFor(access: Access): Vaults
  switchedOffFor(access: Access): SwitchedOffBy
  eventsFor(access: Access): EventFeed
}

/** The budget in tokens. Budgets are meant for models, so the page gets a large one. */
const MAX_TOKENS = 50_000

/** Maximum size in bytes of a body without a session, which only contains a code. */
const CODE_BYTES = 1_000

export function webRoutes(options: WebOptions, parts: ServerParts): ExtraRoutes & { readonly sessions: WebSessions } {
  const sessions = webSessions((key) => parts.isCurrent(key))
  const streams = new Map<EventStream, string>()
  const visitor = (request: IncomingMessage) => admitPage(request, parts.hosts)
  const admit = (request: IncomingMessage) => admitSession(request, parts.hosts, sessions)
  const inVault = (path: string, answer: (request: VaultRequest) => Promise<unknown>): Route =>
    postRoute(parts, path, admit, async (body, { sender: { access }, response }, signal) => {
      if (!access.scopes.has('read')) throw new RouxError('PERMISSION_DENIED', `The token "${access.name}" has no scope "read".`)
      const vault = await openNamed(body, options.vaultsFor(access))
      return answer({ ...vault, body, response, signal })
    })
  const routes = [
    ...assetRoutes(options.folder, parts.hosts),
    // Any client with a token can get a code, and check whether the code was used.
    postRoute(parts, '/web/code', parts.authorize, async (body, { sender }) => {
      const waiting = textOf(body, 'waiting')
      return waiting === undefined ? { code: sessions.makeCode(sender) } : { waiting: sessions.isWaiting(waiting) }
    }),
    postRoute(parts, '/web/session', visitor, (body) => beginSession(body, sessions, options)),
    postRoute(parts, '/web/call', admit, (body, { sender }, signal) => call(body, sender, options, signal)),
    inVault('/web/note', async ({ core, id, signal }) => (await pageNote(core, { id }, { signal })).value),
    inVault('/web/picture', async ({ core, body, response }) => {
      const mayMove = (['nothing', 'all'] as const).find((move) => move === textOf(body, 'mayMove')) ?? 'once'
      const lists = { notes: listOf(body, 'notes'), groups: listOf(body, 'groups') }
      const filter = { folder: textOf(body, 'folder'), tag: textOf(body, 'tag') }
      sendJson(response, 200, await pageJson(core, { mayMove, ...lists, ...filter }))
    }),
    inVault('/web/files', async ({ core, signal }) => (await linkedFiles(core, { signal })).value),
    inVault('/web/attachment', ({ core, id, response }) => sendPicture(response, core, id)),
    defineRoute<WebSession>({
      path: '/web/events',
      methods: { GET: (exchange) => listen(exchange, options.eventsFor(exchange.sender.access), streams, parts) },
      admit,
    }),
  ]
  return {
    routes,
    sessions,
    endUnless(mayGoOn) {
      for (const [stream, key] of streams) if (!mayGoOn(key)) stream.end()
    },
  }
}

interface VaultRequest {
  readonly core: GraphCore
  readonly id: string
  readonly body: Fields
  readonly response: ServerResponse
  readonly signal: AbortSignal
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Defines a route. `answer` returns the result, or writes the response itself. The signal is aborted when the page disconnects.
 * Unknown senders do not count towards the limits of known ones.
 */
function postRoute<Sender extends { readonly key: string } | undefined>(
  { load, limits }: ServerParts,
  path: string,
  admit: (request: IncomingMessage) => Admission<Sender>,
  answer: (body: Fields, exchange: Exchange<Sender>, signal: AbortSignal) => Promise<unknown>,
): Route {
  const handle = async (exchange: Exchange<Sender>): Promise<void> => {
    const { request, response, sender } = exchange
    secure(response)
    const slot = sender === undefined ? undefined : load.call(sender.key)
    if (slot !== undefined && 'refusal' in slot) return sendRefusal(response, slot.refusal)
    const disconnected = new AbortController()
    response.once('close', () => disconnected.abort())
    try {
      const body = await readBody(request, sender === undefined ? CODE_BYTES : limits.body)
      if (body.kind === 'refused') return sendRefusal(response, body.refusal)
      if (body.kind === 'gone') return
      const result = await answer(isRecord(body.value) ? body.value : {}, exchange, disconnected.signal)
      if (!response.headersSent) sendJson(response, 200, JSON.stringify(result ?? null))
    } catch (error) {
      if (!(error instanceof RouxError)) throw error
      sendJson(response, 422, JSON.stringify({ error: error.toJSON() }))
    } finally {
      slot?.end()
    }
  }
  return defineRoute({ path, methods: { POST: handle }, admit })
}

async function beginSession(body: Fields, sessions: WebSessions, { vaultsFor }: WebOptions): Promise<unknown> {
  const secret = sessions.redeem(textOf(body, 'code') ?? '')
  const session = secret === undefined ? undefined : sessions.find(secret)
  if (session === undefined)
    throw new RouxError('PERMISSION_DENIED', 'This link has already been used or is more than a minute old.', {
      hint: 'Run "roux open" again.',
    })
  return { session: secret, vaults: vaultsFor(session.access).names, scopes: [...session.access.scopes] }
}

async function call(body: Fields, { access }: WebSession, options: WebOptions, signal: AbortSignal): Promise<unknown> {
  const name = textOf(body, 'tool') ?? ''
  const tool = options.tools.find((one) => one.name === name)
  if (tool === undefined) throw new RouxError('INVALID_PARAMS', `There is no tool "${name.slice(0, 100)}".`)
  const { log } = options
  const switchedOffBy = options.switchedOffFor(access)
  const off = switchedOffBy(tool)
  if (off !== undefined) return errorResult(toolDisabled(tool.name, off), log).structuredContent
  const mayRead = access.scopes.has('read')
  const calling = { vaults: options.vaultsFor(access), log, switchedOffBy, signal, mayRead, maxTokens: MAX_TOKENS }
  return (await callTool(tool, body.arguments, calling)).structuredContent
}

/** Reports that the vault has changed. The page then requests the details. */
async function listen(
  { request, response, sender }: Exchange<WebSession>,
  feed: EventFeed,
  streams: Map<EventStream, string>,
  { load, limits }: ServerParts,
): Promise<void> {
  secure(response)
  const place = load.stream(sender.key)
  if ('refusal' in place) return sendRefusal(response, place.refusal)
  const stopSubscribing = feed.subscribeResources(['roux://recent'])
  const stopListening = feed.subscribe((event) => {
    if (event.kind === 'resource_updated') stream.send({ changed: true })
  })
  const stream = eventStream(response, limits, () => {
    stopListening()
    stopSubscribing()
    streams.delete(stream)
    place.end()
  })
  streams.set(stream, sender.key)
  request.resume()
}

const MAX_IDS = 1_000

function listOf(body: Fields, name: string): readonly string[] {
  const list = body[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string').slice(0, MAX_IDS) : []
}

function textOf(body: Fields, name: string): string | undefined {
  const text = body[name]
  return typeof text === 'string' ? text : undefined
}

/**
 * Opens the vault of an id, by default the first one, and returns the id without the vault's name.
 * @throws RouxError `INVALID_PARAMS` for an unknown vault
 */
async function openNamed(body: Fields, vaults: Vaults): Promise<Pick<VaultRequest, 'core' | 'id'>> {
  const { names } = vaults
  const id = textOf(body, 'id') ?? ''
  const prefix = vaultOf(id, names)
  const name = prefix ?? (textOf(body, 'vault') || names[0])
  if (name !== undefined && !names.includes(name))
    throw new RouxError('INVALID_PARAMS', `There is no vault ${quoted(name)}.`, {
      hint: names.length === 0 ? 'There is one vault, without a name.' : `There are ${names.join(', ')}.`,
    })
  return { core: await vaults.open(name), id: prefix === undefined ? id : id.slice(prefix.length + 1) }
}

/** Sends only raster images, because an SVG may contain a script. */
export async function sendPicture(response: ServerResponse, core: GraphCore, id: string): Promise<void> {
  const picture = await findPicture(core, id)
  if (picture === undefined)
    return sendRefusal(response, refusal(404, 'Only PNG, JPEG, GIF and WebP images are shown here.', OPEN_ELSEWHERE))
  if (picture === 'too large') return sendRefusal(response, refusal(413, TOO_LARGE, OPEN_ELSEWHERE))
  // The headers prevent scripts from running if a browser opens the file as a page.
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'").setHeader('Content-Disposition', 'attachment')
  response.writeHead(200, { 'Content-Type': picture.mimeType, 'Content-Length': picture.size })
  // An error means that the page has disconnected, or the file became shorter.
  await pipeline(Readable.from(picture.parts(), { objectMode: true, highWaterMark: 1 }), response).catch(() => {})
}
