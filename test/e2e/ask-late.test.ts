import { describe, expect, test } from 'vitest'
import { type Behavior, openAiStream, serve, slowly, words } from '../outbound/fake-servers.ts'
import { eventually } from '../support/eventually.ts'
import { LONG } from '../support/long.ts'
import { changedLimits, openWorld } from './support.ts'

const QUESTION = 'why is my bread so dense?'
/** One sentence with a citation, then a word every 50 ms for more than a minute. */
const TALKATIVE = slowly(Buffer.from(openAiStream({ text: `It was proofed too short [S1]. ${words(2_000)}` })), {
  size: 80,
  ms: 50,
})
const SILENT: Behavior = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': waiting\n\n')
}

/** A server whose 50-second limit is shortened as given, and a model. */
async function rig(behavior: Behavior, patience: number) {
  const world = openWorld({ fixture: 'demo' })
  const model = await serve(behavior)
  const env = {
    ...changedLimits(world, `(ms) => (ms === 50_000 ? ${patience} : ms)`),
    ROUX_AI_ENABLED: 'true',
    ROUX_AI_PROVIDER: 'openai',
    ROUX_AI_BASE_URL: model.baseUrl,
    ROUX_AI_MODEL: 'fake',
  }
  await world.roux(['index', world.vault])
  const server = world.serve([world.vault], { env })
  await server.initialize()
  return { world, model, env, server }
}

async function expectPartial(patience: number): Promise<void> {
  const { world, model, env, server } = await rig(TALKATIVE, patience)
  const { structuredContent } = await server.call('ask', { question: QUESTION })
  expect(structuredContent).toMatchObject({
    status: 'partial',
    citations: [{ n: 1, start_line: expect.any(Number), quote: expect.any(String) }],
    usage: { estimated: true },
  })
  expect(structuredContent.answer).toMatch(/^It was proofed too short\. \[1\]\(roux:\/\/node\/[^)]+\)/)
  const warnings = structuredContent._warnings.map(
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )
  expect(warnings.join('\n')).toMatch(/NOTICE: .*stopped before its answer was complete.*progress token[\s\S]*ESTIMATED/)
  await eventually(async () => expect(model.closed).toBe(1))
  const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
  expect(rows).toMatchObject([{ requests: 1, estimated: 1, reserved: 0 }])
  await server.end()
}

describe('an answer that takes longer than 50 seconds', () => {
  test('is returned as partial without progress reporting, with the citations so far', () => expectPartial(15_000))

  test('continues if the call receives progress', async () => {
    const text = `It was proofed too short [S1]. ${words(100)}`
    const { server } = await rig(slowly(Buffer.from(openAiStream({ text })), { size: 400, ms: 50 }), 100)
    const { result } = await server.request('tools/call', {
      name: 'ask',
      arguments: { question: QUESTION },
      _meta: { progressToken: 't' },
    })
    expect(result.structuredContent).toMatchObject({ status: 'answered', usage: { estimated: false } })
    await server.end()
  })

  test('is reported as empty if the model has said nothing by then', async () => {
    const { server, world, env } = await rig(SILENT, 300)
    const { structuredContent } = await server.call('ask', { question: QUESTION })
    expect(structuredContent.error).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('did not answer within 50 s'),
    })
    expect(structuredContent.error.hint).toMatch(/progress.*ai\.timeout/)
    const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
    expect(rows).toMatchObject([{ requests: 1, failed: 1, reserved: 0 }])
    await server.end()
  })

  test.runIf(LONG)('the limit is really 50 seconds', () => expectPartial(50_000))
})
