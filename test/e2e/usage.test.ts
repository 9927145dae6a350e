import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Account } from '../../src/core/chat.ts'
import { AiState, aiStateFile } from '../../src/outbound/consent-ledger.ts'
import type { Usage } from '../../src/outbound/http-client.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { openWorld, type RunOptions, type World } from './support.ts'

const ACCOUNT: Account = { provider: 'api.example.com', model: 'big', feature: 'ask', location: 'remote' }
const TAKEN: Usage = { input: 1_000_000, output: 200_000, estimated: false }

/** A world at noon on the tenth of March, with these requests in its ledger. */
function worldWith(requests: readonly (Partial<Account> & { readonly day: string; readonly spent?: Usage })[]) {
  const world = openWorld()
  const state = new AiState(aiStateFile(join(world.root, 'state', 'roux')), openSqlite)
  for (const { day, spent = TAKEN, ...account } of requests) {
    const reserved = state.reserve({ ...ACCOUNT, ...account }, { expected: { input: 1, output: 1 }, bound: undefined, day })
    if ('id' in reserved) state.settle(reserved, spent)
  }
  state.close()
  const clock = join(world.root, 'clock.cjs')
  writeFileSync(clock, `const noon = Date.parse('2026-03-10T12:00:00Z'); Date.now = () => noon\n`)
  return { world, env: { NODE_OPTIONS: `--require ${clock}` } }
}

async function usage(world: World, args: readonly string[], options: RunOptions) {
  const { code, out, err } = await world.roux(['usage', ...args], options)
  return { code, err, answer: code === 0 ? JSON.parse(out) : undefined }
}

test('roux usage shows the requested number of days, including today, newest first', async () => {
  const days = ['2026-01-01', '2026-02-09', '2026-03-03', '2026-03-04', '2026-03-10']
  const { world, env } = worldWith(days.map((day) => ({ day })))
  const shown = async (...args: readonly string[]) =>
    (await usage(world, args, { env })).answer.rows.map(({ day }: { day: string }) => day)
  expect(await shown()).toEqual(['2026-03-10', '2026-03-04'])
  expect(await shown('--days', '1')).toEqual(['2026-03-10'])
  expect(await shown('--days', '8')).toEqual(['2026-03-10', '2026-03-04', '2026-03-03'])
  expect(await shown('--days', '30')).toEqual(['2026-03-10', '2026-03-04', '2026-03-03', '2026-02-09'])
  expect(await shown('--days', '3650')).toEqual(days.toReversed())
})

test("roux usage works while the model's address is invalid", async () => {
  const { world, env } = worldWith([{ day: '2026-03-10' }])
  const wrong = { ROUX_AI_PROVIDER: 'openai', ROUX_AI_MODEL: 'm', ROUX_AI_BASE_URL: 'localhost:11434' }
  const { code, answer, err } = await usage(world, [], { env: { ...env, ...wrong } })
  expect(code, err).toBe(0)
  expect(answer.rows).toHaveLength(1)
})

test.each(['0', '-1', '3651', '1.5', 'week'])('roux usage --days %s is refused with the valid range', async (days) => {
  const { world, env } = worldWith([])
  const { code, err } = await usage(world, [`--days=${days}`], { env })
  expect(code).not.toBe(0)
  expect(err).toMatch(/--days/)
})

test('roux usage shows costs by ai.prices for models with a price', async () => {
  const day = '2026-03-10'
  const { world, env } = worldWith([
    { day },
    { day, model: 'a=b/c', spent: { input: 3_000, output: 500, estimated: true } },
    { day, model: 'unpriced' },
  ])
  const ROUX_AI_PRICES = JSON.stringify(['big=0.15/.60', 'a=b/c=10/30', 'never-asked=1/1'])
  const { answer } = await usage(world, [], { env: { ...env, ROUX_AI_PRICES } })
  expect(answer.rows).toMatchObject([
    { model: 'a=b/c', input: 3_000, output: 500, estimated: 1, cost: 0.045 },
    { model: 'big', input: 1_000_000, output: 200_000, estimated: 0, cost: 0.27 },
    { model: 'unpriced', requests: 1 },
  ])
  expect(answer.rows[2]).not.toHaveProperty('cost')
})

test.each(['big', 'big=1', 'big=1/x', 'big=-1/2', '=1/2'])('the price %j is refused with the correct format', async (price) => {
  const { world, env } = worldWith([])
  const { code, err } = await usage(world, [], { env: { ...env, ROUX_AI_PRICES: JSON.stringify([price]) } })
  expect(code).not.toBe(0)
  expect(err).toContain('model=input/output')
})
