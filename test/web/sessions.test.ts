import { expect, test } from 'vitest'
import { WebSessions } from '../../src/web/sessions.ts'

const OWNER = { key: 'owner', access: { name: 'default', scopes: new Set(['read', 'write'] as const), vaults: '*' as const } }

test('a code opens one session', () => {
  const sessions = new WebSessions(() => true)
  const code = sessions.makeCode(OWNER, false)
  const secret = sessions.redeem(code) ?? ''
  expect(sessions.find(secret)?.access.name).toBe('default')
  expect(sessions.redeem(code)).toBeUndefined()
})

test('a session only reads unless it was opened to write', () => {
  const sessions = new WebSessions(() => true)
  const scopes = (mayWrite: boolean) => [
    ...(sessions.find(sessions.redeem(sessions.makeCode(OWNER, mayWrite)) ?? '')?.access.scopes ?? []),
  ]
  expect(scopes(false)).toEqual(['read'])
  expect(scopes(true)).toEqual(['read', 'write'])
})

test('a code that is older than a minute opens nothing', () => {
  let now = 0
  const sessions = new WebSessions(
    () => true,
    () => now,
  )
  const code = sessions.makeCode(OWNER, false)
  now = 60_001
  expect(sessions.redeem(code)).toBeUndefined()
})

test('a code is no secret of a session, and the other way round', () => {
  const sessions = new WebSessions(() => true)
  const code = sessions.makeCode(OWNER, false)
  expect(sessions.find(code)).toBeUndefined()
  const secret = sessions.redeem(code) ?? ''
  expect(sessions.redeem(secret)).toBeUndefined()
})

test('what a token opened ends with it', () => {
  let isCurrent = true
  const sessions = new WebSessions(() => isCurrent)
  const code = sessions.makeCode(OWNER, false)
  const secret = sessions.redeem(sessions.makeCode(OWNER, false)) ?? ''
  isCurrent = false
  expect(sessions.find(secret)).toBeUndefined()
  expect(sessions.redeem(code)).toBeUndefined()
  isCurrent = true
  expect(sessions.find(secret), 'it does not come back').toBeUndefined()
})

test('of very many sessions the oldest ends', () => {
  const sessions = new WebSessions(() => true)
  const secrets = Array.from({ length: 65 }, () => sessions.redeem(sessions.makeCode(OWNER, false)) ?? '')
  expect(sessions.find(secrets[0] ?? '')).toBeUndefined()
  expect(sessions.find(secrets[1] ?? '')).toBeDefined()
})
