import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { ServerEvents } from '../../src/mcp/events.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { ASKING_TOOLS } from '../conformance/asking-tools.ts'
import { PROMPTS } from '../conformance/prompts.ts'
import { RESOURCES, TEMPLATES } from '../conformance/resources.ts'
import { answeringTools } from '../conformance/tools.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import type { Wire } from '../support/stdio-client.ts'

async function connect() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const server = createMcpServer({
    vaults: vaultsOnDemand([], async () => fakeCore(fakeStore({ 'a.md': {} }))),
    version: '1',
    tools: TOOLS,
    switchedOffBy: () => undefined,
    log: () => {},
    extension: {
      tools: [...answeringTools(new ServerEvents()), ...ASKING_TOOLS],
      resources: RESOURCES,
      templates: TEMPLATES,
      prompts: PROMPTS,
      input: { jsonSchemaValidator: new AjvJsonSchemaValidator() },
    },
  })
  await server.connect(ours as never)
  const client: Wire = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { username: 'ada', email: 'a@b.c' } }))
  await client.connect(theirs)
  return client
}

test('what others add is listed after ours and answered by them', async () => {
  const client = await connect()
  const names = (await client.listTools()).tools.map(({ name }: Wire) => name)
  expect(names.slice(0, TOOLS.length)).toEqual(TOOLS.map(({ name }) => name))
  expect(names).toContain('test_simple_text')
  const { content } = await client.callTool({ name: 'test_simple_text', arguments: {} })
  expect(content[0].text).toBe('This is a simple text response for testing.')
  expect((await client.readResource({ uri: 'test://template/7/data' })).contents[0].text).toContain('"id":"7"')
  expect((await client.getPrompt({ name: 'test_simple_prompt' })).messages).toHaveLength(1)
  await expect(client.readResource({ uri: 'test://nothing' })).rejects.toMatchObject({ data: { uri: 'test://nothing' } })
  const { structuredContent } = await client.callTool({ name: 'list_nodes', arguments: {} })
  expect(structuredContent.total).toBe(1)
  await client.close()
})

test('they may ask the client', async () => {
  const client = await connect()
  const { content } = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } })
  expect(content[0].text).toContain('"username":"ada"')
  await client.close()
})

test('arguments of their prompts are completed by them', async () => {
  const client = await connect()
  const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' }
  const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'pari' } })
  expect(completion.values).toEqual(['paris'])
  await client.close()
})
