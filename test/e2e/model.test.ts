import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openWorld, type Wire, type World } from './support.ts'

/** These variables are set by `npm run test:model`. */
const { ROUX_TEST_MODEL_URL: url, ROUX_TEST_MODEL: model = '' } = process.env
/** Small models are slow without a graphics card, and other programs need CPU, too. */
const PATIENCE = 600_000

const ENV = {
  ROUX_AI_ENABLED: 'true',
  ROUX_AI_PROVIDER: 'openai',
  ROUX_AI_BASE_URL: url ?? '',
  ROUX_AI_MODEL: model,
  ROUX_AI_CONTEXT: '1600',
  ROUX_AI_MAX_TOKENS: '120',
  ROUX_AI_TIMEOUT: '500',
}

function rig() {
  return openWorld({ fixture: 'demo' })
}

/** The lines of the note that a citation names. */
function linesOf({ vault }: World, { id, start_line, end_line }: Wire): string {
  const paths = readdirSync(vault, { recursive: true, encoding: 'utf8' }) as string[]
  const path = paths.find((one) => one.toLowerCase() === id || one.toLowerCase() === `${id}.md`)
  const text = readFileSync(join(vault, path ?? ''), 'utf8')
  return text
    .split('\n')
    .slice(start_line - 1, end_line)
    .join('\n')
}

describe.skipIf(url === undefined)('a real model', { timeout: PATIENCE }, () => {
  test('says a word, and the server reports its usage', async () => {
    const { code, out, err } = await rig().roux(['ai', 'test', '--json'], { env: ENV })
    expect(code, err).toBe(0)
    const { answer, usage } = JSON.parse(out)
    expect(answer.length).toBeGreaterThan(0)
    expect(usage).toEqual({ input: expect.any(Number), output: expect.any(Number), estimated: false })
  })

  test.each([
    ['why is my bread so dense?', {}],
    ['when is the dough ready for the oven?', { note_id: 'techniques/proofing' }],
    ['what is autolyse good for?', { folder: 'techniques' }],
  ])('%s: whatever the model says, every source is in the notes and no link leads elsewhere', async (question, more) => {
    const world = rig()
    const server = world.serve([world.vault], { env: ENV })
    await server.initialize()
    const result = await server.request('tools/call', {
      name: 'ask',
      arguments: { question, ...more },
      _meta: { progressToken: 1 },
    })
    const { structuredContent: value, isError } = result.result
    expect(isError ?? false, JSON.stringify(value)).toBe(false)
    expect(['answered', 'partial', 'not_found']).toContain(value.status)
    for (const citation of value.citations) expect(linesOf(world, citation)).toContain(citation.quote)
    const targets = [...value.answer.matchAll(/\]\(([^)]*)\)/g)].map(([, target]: readonly string[]) => target)
    const known = value.citations.map(({ id }: Wire) => id)
    for (const target of targets) expect(known).toContain(decodeURIComponent(target?.replace('roux://node/', '') ?? ''))
    expect(value.answer).not.toMatch(/<|https?:/)
    await server.end()
    const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env: ENV })).out)
    const { input, output } = value.usage
    expect(rows).toMatchObject([{ requests: 1, input, output, reserved: 0 }])
  })

  test('a cancelled call leaves no reservation, and the next one is answered', async () => {
    const world = rig()
    const server = world.serve([world.vault], { env: ENV })
    await server.initialize()
    const asking = { name: 'ask', arguments: { question: 'why is my bread so dense?' }, _meta: { progressToken: 1 } }
    // Cancelled calls get no answer.
    server.send({ jsonrpc: '2.0', id: 'first', method: 'tools/call', params: asking })
    await eventually(async () => expect(server.lines.join('\n')).toContain('Asking'))
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } })
    await eventually(async () => {
      const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env: ENV })).out)
      expect(rows).toMatchObject([{ requests: 1, reserved: 0 }])
    })
    const { code, err } = await world.roux(['ai', 'test'], { env: ENV })
    expect(code, err).toBe(0)
    await server.end()
  })

  test('input beyond its context is refused with a hint, or read in part with a notice', async () => {
    const world = rig()
    world.write('long.md', `# Long\n\n${'The miller grinds rye, wheat and spelt at dawn. '.repeat(1_200)}`)
    const env = { ...ENV, ROUX_AI_CONTEXT: '60000' }
    const { code, err } = await world.roux(
      ['ask', 'what does the miller grind?', '--note-id', 'long', '--vault', world.vault, '--json'],
      { env },
    )
    // If a server truncates the prompt, it reports an error, or its usage reveals it.
    expect(code === 0 ? err : err.replace(/\s+/g, ' ')).toMatch(
      code === 0 ? /context/ : /Set `ai.context` to what the model reads/,
    )
    const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env: ENV })).out)
    expect(rows).toMatchObject([{ requests: 1, reserved: 0 }])
  })
})
