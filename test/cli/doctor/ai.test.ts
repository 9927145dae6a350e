import { expect, test } from 'vitest'
import { checkAi } from '../../../src/cli/doctor/checks.ts'
import type { Host } from '../../../src/cli/host.ts'
import type { LoadedVault } from '../../../src/config/load-vaults.ts'
import { RouxError } from '../../../src/core/errors.ts'

const HERE = {
  use: 'chat',
  model: 'small',
  baseUrl: 'http://127.0.0.1:11434/v1',
  origin: 'http://127.0.0.1:11434',
  location: 'local',
  isAllowed: true,
  hasConsent: true,
} as const
const THERE = {
  ...HERE,
  model: 'big',
  baseUrl: 'https://api.example.com/v1',
  origin: 'https://api.example.com',
  location: 'remote',
} as const

/** What doctor says where the settings name these models. */
async function checked(ai: object, models: () => Promise<readonly object[]>) {
  let closed = 0
  const desk = { models, close: () => void closed++ }
  const host = { compose: async () => ({ openAiDesk: async () => desk }) } as unknown as Host
  const loaded = { settings: { ai: { enabled: true, provider: 'openai', model: 'm', ...ai } } } as unknown as LoadedVault
  const findings = await checkAi(host, loaded)
  return { told: findings.map(({ state, message, hint }) => [state, message, hint]), closed }
}

test('where asking a chat model is off nothing is said, and nothing opened', async () => {
  expect(await checked({ enabled: false }, () => Promise.reject(new Error('opened')))).toEqual({ told: [], closed: 0 })
})

test.each([{ provider: 'none' }, { model: '' }])('a chat model that is not set (%j) is told', async (ai) => {
  const { told } = await checked(ai, async () => [])
  expect(told).toEqual([['warn', 'ai.enabled is true, but no chat model is set', 'Set ai.provider and ai.model.']])
})

test('a model on this computer may be asked, and roux ai test asks it', async () => {
  const { told, closed } = await checked({}, async () => [HERE])
  expect(told).toEqual([['ok', 'small, on this computer; "roux ai test" asks it', undefined]])
  expect(closed).toBe(1)
})

test.each([
  [
    { isAllowed: false, hasConsent: false },
    'It may after "roux ai allow https://api.example.com" and ai.allow_remote: ["api.example.com"].',
  ],
  [{ isAllowed: true, hasConsent: false }, 'It may after "roux ai allow https://api.example.com".'],
  [{ isAllowed: false, hasConsent: true }, 'It may after ai.allow_remote: ["api.example.com"].'],
])('of a model on another computer it is told what is missing: %j', async (said, hint) => {
  const { told } = await checked({}, async () => [{ ...THERE, ...said }])
  expect(told).toEqual([['warn', 'big is on another computer, https://api.example.com, and may not be asked', hint]])
})

test('what is wrong with the settings is a finding', async () => {
  const { told, closed } = await checked({}, async () => {
    throw new RouxError('PROVIDER_ERROR', 'The address is none.', { hint: 'Set it.' })
  })
  expect([told, closed]).toEqual([[['fail', 'The address is none.', 'Set it.']], 1])
})
