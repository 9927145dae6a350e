import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { TokenGate } from '../../src/http/token-gate.ts'
import {
  addToken,
  changeTokens,
  closeToOthers,
  firstToken,
  openTokens,
  readTokens,
  removeToken,
  requireToken,
  rotateToken,
  tokenFileIn,
} from '../../src/http/tokens.ts'
import { temporaryFolder } from '../support/temporary.ts'

const first = firstToken()
const READER = { name: 'reader', scopes: ['read'], vaults: ['work'] } as const

describe('the list of tokens', () => {
  test('secrets have 32 random bytes and are unique', () => {
    expect(first.secret).toMatch(/^roux_[A-Za-z0-9_-]{43}$/)
    expect(firstToken().secret).not.toBe(first.secret)
  })

  test('adding, rotating and removing change one token', () => {
    const two = addToken([first], READER)
    const rotated = rotateToken(two, 'reader')
    expect(requireToken(rotated, 'reader')).toEqual({
      ...READER,
      secret: expect.not.stringContaining(requireToken(two, 'reader').secret),
    })
    expect(requireToken(rotated, 'default')).toBe(first)
    expect(removeToken(rotated, 'reader')).toEqual([first])
  })

  test.each([
    [{ ...READER, name: 'default' }, /The token "default" already exists/],
    [{ ...READER, name: '../x' }, /is not a valid token name/],
    [{ ...READER, name: '' }, /is not a valid token name/],
    [{ ...READER, scopes: [] }, /no scope/],
    [{ ...READER, vaults: [] }, /any vault/],
  ] as const)('%j is refused', (token, message) => {
    expect(() => addToken([first], token)).toThrow(message)
  })

  test('suggests the nearest name for a mistyped one', () => {
    expect(() => requireToken(addToken([first], READER), 'raeder')).toThrow(
      expect.objectContaining({ hint: 'Did you mean "reader"?' }),
    )
  })
})

describe('the file', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = join(temporaryFolder(), 'state')
    file = tokenFileIn(folder)
  })

  test('is created once, for its owner only, without leftovers', () => {
    const made = openTokens(file)
    expect(openTokens(file)).toEqual(made)
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  test('if another process creates it first, that file is used', () => {
    const theirs = [firstToken()]
    changeTokens(file, () => theirs)
    expect(openTokens(file)).toEqual(theirs)
  })

  test.each([
    '',
    '{',
    '{"tokens": 7}',
    '{"tokens": [{"name": "a", "secret": "short", "scopes": ["read"], "vaults": "*"}]}',
    '[]',
  ])('damaged as %j it is an error and stays unchanged', (text) => {
    changeTokens(file, () => [])
    writeFileSync(file, text)
    expect(() => openTokens(file)).toThrow(/is damaged/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test.each([
    ['a scope that no one knows', { scopes: ['root'] }],
    ['a member that no one knows', { admin: true }],
    ['a name of two', {}, {}],
  ] as const)('with %s it counts as damaged', (_, ...changes) => {
    changeTokens(file, () => [])
    writeFileSync(file, JSON.stringify({ tokens: changes.map((change) => ({ ...first, ...(change as object) })) }))
    expect(() => readTokens(file)).toThrow(/is damaged/)
  })

  test('that others can read is made private, with a warning', () => {
    changeTokens(file, () => [first])
    expect(closeToOthers(file)).toBeUndefined()
    chmodSync(file, 0o644)
    expect(closeToOthers(file)).toMatch(/could read .* \(mode 644\); now they cannot/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readTokens(file)).toEqual([first])
  })

  describe('in a server', () => {
    let warnings: string[]
    let gate: TokenGate
    beforeEach(() => {
      warnings = []
      changeTokens(file, () => addToken([first], READER))
      gate = new TokenGate(file, (warning) => warnings.push(warning))
    })

    test('a secret identifies its principal and their permissions', () => {
      const reader = requireToken(readTokens(file) ?? [], 'reader')
      expect(gate.find(reader.secret)?.access).toEqual({ name: 'reader', scopes: new Set(['read']), vaults: ['work'] })
      expect(gate.find(`${reader.secret}x`)).toBeUndefined()
      expect(gate.find('')).toBeUndefined()
    })

    test('changes take effect at once: a new secret, a new scope, a deleted token', () => {
      const principal = gate.find(first.secret)
      const mayGoOn = (): boolean => gate.isCurrent(principal?.key ?? '')
      expect(mayGoOn()).toBe(true)
      changeTokens(file, () => [{ ...first, scopes: ['read'] }])
      expect([mayGoOn(), gate.find(first.secret)?.access.scopes]).toEqual([false, new Set(['read'])])
      changeTokens(file, () => rotateToken([first], 'default'))
      expect(gate.find(first.secret)).toBeUndefined()
      changeTokens(file, () => [first])
      expect(mayGoOn()).toBe(true)
      rmSync(file)
      expect([mayGoOn(), gate.find(first.secret), gate.fault]).toEqual([false, undefined, undefined])
    })

    test('a damaged file lets nobody in until it is repaired, and is reported once', () => {
      expect(gate.find(first.secret)).toBeDefined()
      writeFileSync(file, 'x')
      expect([gate.find(first.secret), gate.fault?.code]).toEqual([undefined, 'INVALID_SETTINGS'])
      expect(gate.find(first.secret)).toBeUndefined()
      expect(warnings).toEqual([expect.stringMatching(/is damaged.* No token is accepted/)])
      rmSync(file)
      changeTokens(file, () => [first])
      expect([gate.find(first.secret)?.access.name, gate.fault]).toEqual(['default', undefined])
    })

    test('a file that others can read is made private, and its tokens stay valid', () => {
      chmodSync(file, 0o666)
      expect(gate.find(first.secret)).toBeDefined()
      expect(warnings).toEqual([expect.stringContaining('mode 666')])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })
  })
})
