// Serves the program's own server, over its own HTTP, with the fixtures that the protocol's conformance suite asks for, at 127.0.0.1.
// The suite knows no tokens: a proxy in front puts one into every request and passes everything else on as it came. Prints its address.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { openHttpServer } from '../../src/http/http-server.ts'
import { openTokens, tokenFileIn } from '../../src/http/token-file.ts'
import { ServerEvents } from '../../src/mcp/events.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { ASKING_TOOLS } from './asking-tools.ts'
import { INPUT_REQUIRED_PROMPT, INPUT_REQUIRED_TOOLS, STATE } from './input-required.ts'
import { PROMPTS } from './prompts.ts'
import { RESOURCES, TEMPLATES } from './resources.ts'
import { answeringTools } from './tools.ts'

const events = new ServerEvents()
const core = fakeCore(fakeStore(GARDEN))
const folder = mkdtempSync(join(tmpdir(), 'roux-tokens-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
process.on('SIGTERM', () => process.exit())
const tokenFile = tokenFileIn(folder)
const [token] = openTokens(tokenFile)

const served = await openHttpServer({
  enabled: true,
  host: '127.0.0.1',
  port: 0,
  hosts: [],
  origins: [],
  tokenFile,
  eventsFor: () => events,
  serverFor: () =>
    createMcpServer({
      vaults: vaultsOnDemand([], async () => core),
      version: '0.0.0',
      tools: TOOLS,
      switchedOffBy: () => undefined,
      events,
      log: (line) => console.error(line),
      extension: {
        tools: [...answeringTools(events), ...ASKING_TOOLS, ...INPUT_REQUIRED_TOOLS],
        resources: RESOURCES,
        templates: TEMPLATES,
        prompts: [...PROMPTS, INPUT_REQUIRED_PROMPT],
        input: { jsonSchemaValidator: new AjvJsonSchemaValidator(), requestState: { verify: STATE.verify } },
      },
    }),
  log: (line) => console.error(line),
})

function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const passed = request(served.url, { method, headers: { ...headers, authorization: `Bearer ${token?.secret}` } }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    outgoing.flushHeaders()
    answer.pipe(outgoing)
  })
  passed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

const proxy = createServer(pass)
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`))
