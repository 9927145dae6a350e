// Serves the program's server over HTTP at 127.0.0.1, with the fixtures of the protocol's conformance suite.
// Prints its address and token.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { openHttpServer } from '../../src/http/http-server.ts'
import { openTokens, tokenFileIn } from '../../src/http/tokens.ts'
import { feedOf, ServerEvents } from '../../src/mcp/events/events.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { ASKING_TOOLS } from './asking-tools.ts'
import { createServerWithFixtures } from './fixtures.ts'
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
  eventsFor: () => feedOf(events),
  serverFor: () =>
    createServerWithFixtures(
      {
        vaults: vaultsOnDemand([], async () => core),
        version: '0.0.0',
        tools: TOOLS,
        switchedOffBy: () => undefined,
        events: feedOf(events),
        log: (line) => console.error(line),
      },
      {
        tools: [...answeringTools(events), ...ASKING_TOOLS, ...INPUT_REQUIRED_TOOLS],
        resources: RESOURCES,
        templates: TEMPLATES,
        prompts: [...PROMPTS, INPUT_REQUIRED_PROMPT],
        input: { jsonSchemaValidator: new AjvJsonSchemaValidator(), requestState: { verify: STATE.verify } },
      },
    ),
  log: (line) => console.error(line),
})

console.log(`${served.url} ${token?.secret}`)
