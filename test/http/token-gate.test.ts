import { chmodSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TokenGate } from '../../src/http/token-gate.ts'
import { changeTokens, closeToOthers, firstToken, tokenFileIn } from '../../src/http/tokens.ts'
import { temporaryFolder } from '../support/temporary.ts'

vi.mock(import('node:fs'), async (original) => {
  const fs = await original()
  return { ...fs, chmodSync: vi.fn(fs.chmodSync) }
})

const first = firstToken()
let folder: string
let file: string
let warnings: string[]
let gate: TokenGate
beforeEach(() => {
  folder = temporaryFolder()
  file = tokenFileIn(folder)
  warnings = []
  changeTokens(file, () => [first])
  chmodSync(file, 0o644)
  gate = new TokenGate(file, (warning) => warnings.push(warning))
})
afterEach(() => {
  vi.mocked(chmodSync).mockRestore()
})

/** Makes `chmod` fail, as for a file of another owner, which can be read but not changed. */
function refuseChmod(): void {
  vi.mocked(chmodSync).mockImplementation(() => {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  })
}

test('a file that stays readable to others causes one warning per change, not per request', () => {
  refuseChmod()
  for (let request = 0; request < 5; request++) expect(gate.find(first.secret)).toBeUndefined()
  expect(gate.fault?.code).toBe('PERMISSION_DENIED')
  expect(warnings).toEqual([expect.stringMatching(/^Other users .* cannot be changed\. No token is accepted/)])
  vi.mocked(chmodSync).mockRestore()
  chmodSync(file, 0o640)
  expect(gate.find(first.secret)).toBeDefined()
  expect(warnings).toEqual([expect.anything(), expect.stringMatching(/\(mode 640\); now they cannot/)])
})

test('does not claim to protect a file on a file system without permissions', () => {
  vi.mocked(chmodSync).mockImplementation(() => {})
  expect(closeToOthers(file)).toMatch(/^Other users of this computer can read .* does not support permissions/)
  for (let request = 0; request < 5; request++) expect(gate.find(first.secret)).toBeDefined()
  expect(warnings).toHaveLength(1)
})
