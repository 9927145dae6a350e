// Serves the program's own server, with the fixtures that the protocol's conformance suite asks for, at 127.0.0.1. Prints its address.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { ServerEvents } from '../../src/mcp/events.ts'
import { createMcpServer, type McpServerOptions } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { ASKING_TOOLS } from './asking-tools.ts'
import { INPUT_REQUIRED_PROMPT, INPUT_REQUIRED_TOOLS, STATE } from './input-required.ts'
import { PROMPTS } from './prompts.ts'
import { RESOURCES, TEMPLATES } from './resources.ts'
import { answeringTools } from './tools.ts'

const events = new ServerEvents()
const options: McpServerOptions = {
  vaults: vaultsOnDemand([], async () => core),
  version: '0.0.0',
  tools: TOOLS,
  switchedOffBy: () => undefined,
  log: (line) => console.error(line),
  extension: {
    tools: [...answeringTools(events), ...ASKING_TOOLS, ...INPUT_REQUIRED_TOOLS],
    resources: RESOURCES,
    templates: TEMPLATES,
    prompts: [...PROMPTS, INPUT_REQUIRED_PROMPT],
    input: { jsonSchemaValidator: new AjvJsonSchemaValidator(), requestState: { verify: STATE.verify } },
  },
}
const core = fakeCore(fakeStore(GARDEN))
const modern = createMcpHandler(() => createMcpServer(options), { legacy: 'reject', bus: events })
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

async function answer(request: Request): Promise<Response> {
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  if (refused !== undefined) return refused
  return (await isLegacyRequest(request)) ? await answerLegacy(request) : await modern.fetch(request)
}

/** The legacy era asks its clients things, so that a session's requests must meet in one server. */
async function answerLegacy(request: Request): Promise<Response> {
  const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
  if (known !== undefined) return await known.handleRequest(request)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await createMcpServer({ ...options, events }).connect(transport)
  return await transport.handleRequest(request)
}

async function bridge(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  const response = await answer(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] => [[name, String(value)]]),
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming) as never, duplex: 'half' } : {}),
    }),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  if (response.body === null) outgoing.end()
  else
    Readable.fromWeb(response.body as ReadableStream)
      .on('error', () => outgoing.destroy())
      .pipe(outgoing)
}

const server = createServer((incoming, outgoing) => {
  bridge(incoming, outgoing).catch((error: unknown) => {
    console.error(error)
    outgoing.destroy()
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
