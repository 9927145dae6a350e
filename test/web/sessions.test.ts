import { expect, test } from 'vitest'
import { webSessions } from '../../src/web/sessions.ts'

const OWNER = { key: 'owner', access: { name: 'default', scopes: new Set(['read', 'write'] as const), vaults: '*' as const } }

test('a code opens one session', () => {
  const sessions = webSessions(() => true)
  const code = sessions.makeCode(OWNER)
  const secret = sessions.redeem(code) ?? ''
  expect(sessions.find(secret)?.access.name).toBe('default')
  expect(sessions.redeem(code)).toBeUndefined()
})

test('a session is read-only, whatever its token may do', () => {
  const sessions = webSessions(() => true)
  expect([...(sessions.find(sessions.redeem(sessions.makeCode(OWNER)) ?? '')?.access.scopes ?? [])]).toEqual(['read'])
})

test('a code older than a minute opens nothing', () => {
  let now = 0
  const sessions = webSessions(
    () => true,
    () => now,
  )
  const code = sessions.makeCode(OWNER)
  now = 60_001
  expect(sessions.redeem(code)).toBeUndefined()
})

test('a code cannot be used as a session secret, nor the reverse', () => {
  const sessions = webSessions(() => true)
  const code = sessions.makeCode(OWNER)
  expect(sessions.find(code)).toBeUndefined()
  const secret = sessions.redeem(code) ?? ''
  expect(sessions.redeem(secret)).toBeUndefined()
})

test('removing a token ends its sessions', () => {
  let isCurrent = true
  const sessions = webSessions(() => isCurrent)
  const code = sessions.makeCode(OWNER)
  const secret = sessions.redeem(sessions.makeCode(OWNER)) ?? ''
  isCurrent = false
  expect(sessions.find(secret)).toBeUndefined()
  expect(sessions.redeem(code)).toBeUndefined()
  isCurrent = true
  expect(sessions.find(secret), 'it does not come back').toBeUndefined()
})

test('when a token has too many sessions, its oldest one ends', () => {
  const sessions = webSessions(() => true)
  const other = sessions.redeem(sessions.makeCode({ ...OWNER, key: 'other' })) ?? ''
  const code = sessions.makeCode({ ...OWNER, key: 'third' })
  const secrets = Array.from({ length: 33 }, () => sessions.redeem(sessions.makeCode(OWNER)) ?? '')
  for (let at = 0; at < 100; at++) sessions.makeCode(OWNER)
  expect(sessions.find(secrets[0] ?? '')).toBeUndefined()
  expect(sessions.find(secrets[1] ?? '')).toBeDefined()
  expect(sessions.find(other)).toBeDefined()
  expect(sessions.redeem(code)).toBeDefined()
})
