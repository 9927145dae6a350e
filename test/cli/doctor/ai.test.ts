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

/** The findings of doctor for these settings and models. */
async function checked(ai: object, models: () => Promise<readonly object[]>) {
  let closed = 0
  const desk = { models, close: () => void closed++ }
  const host = { compose: async () => ({ openAiDesk: async () => desk }) } as unknown as Host
  const loaded = { settings: { ai: { enabled: true, provider: 'openai', model: 'm', ...ai } } } as unknown as LoadedVault
  const findings = await checkAi(host, loaded)
  return { reported: findings.map(({ state, message, hint }) => [state, message, hint]), closed }
}

test('reports nothing and opens nothing if the chat model is disabled', async () => {
  expect(await checked({ enabled: false }, () => Promise.reject(new Error('opened')))).toEqual({ reported: [], closed: 0 })
})

test.each([{ provider: 'none' }, { model: '' }])('reports a missing chat model (%j)', async (ai) => {
  const { reported } = await checked(ai, async () => [])
  expect(reported).toEqual([['warn', 'ai.enabled is true, but no chat model is set', 'Set ai.provider and ai.model.']])
})

test('a local model is ok, with a hint about roux ai test', async () => {
  const { reported, closed } = await checked({}, async () => [HERE])
  expect(reported).toEqual([['ok', 'small, on this computer; "roux ai test" tests it', undefined]])
  expect(closed).toBe(1)
})

test.each([
  [
    { isAllowed: false, hasConsent: false },
    'To allow it: "roux ai allow https://api.example.com" and ai.allow_remote: ["api.example.com"].',
  ],
  [{ isAllowed: true, hasConsent: false }, 'To allow it: "roux ai allow https://api.example.com".'],
  [{ isAllowed: false, hasConsent: true }, 'To allow it: ai.allow_remote: ["api.example.com"].'],
])('reports what a remote model still needs: %j', async (permission, hint) => {
  const { reported } = await checked({}, async () => [{ ...THERE, ...permission }])
  expect(reported).toEqual([['warn', 'big is on another computer, https://api.example.com, and must not be used yet', hint]])
})

test('invalid settings are a finding', async () => {
  const { reported, closed } = await checked({}, async () => {
    throw new RouxError('PROVIDER_ERROR', 'The address is none.', { hint: 'Set it.' })
  })
  expect([reported, closed]).toEqual([[['fail', 'The address is none.', 'Set it.']], 1])
})
