import { expect, test } from 'vitest'
import { keepAdditions, readOwnEntry } from '../../src/install/own-entry.ts'

const SCRIPT = '/opt/roux/dist/cli/main.js'

test.each([
  [
    { command: '/n/node', args: [SCRIPT, 'serve', '/v'] },
    { kind: 'stdio', node: '/n/node', program: SCRIPT, vault: '/v' },
  ],
  [
    { type: 'stdio', command: 'node', args: [SCRIPT, 'serve'] },
    { kind: 'stdio', node: 'node', program: SCRIPT },
  ],
  [
    { command: 'node', args: [SCRIPT, 'serve', '--write', '--vault', '/v'] },
    { kind: 'stdio', node: 'node', program: SCRIPT, vault: '/v', write: true },
  ],
  [
    { command: 'node', args: [SCRIPT, 'serve', '--vault=/v', '--set', 'a.b=c', '--set=d.e=f', '--config', '/c'] },
    { kind: 'stdio', node: 'node', program: SCRIPT, vault: '/v', config: '/c', settings: ['a.b=c', 'd.e=f'] },
  ],
  [
    { command: 'C:\\n\\node.exe', args: ['C:\\roux\\dist\\cli\\main.js', 'serve', 'C:\\v'] },
    { kind: 'stdio', node: 'C:\\n\\node.exe', program: 'C:\\roux\\dist\\cli\\main.js', vault: 'C:\\v' },
  ],
  [
    { command: 'roux', args: ['serve', '/v'] },
    { kind: 'stdio', program: 'roux', vault: '/v' },
  ],
  [
    { command: '/usr/bin/roux', args: ['serve', '/v'] },
    { kind: 'stdio', program: '/usr/bin/roux', vault: '/v' },
  ],
  [
    { command: { path: '/n/node', args: [SCRIPT, 'serve', '/v'], env: {} } },
    { kind: 'stdio', node: '/n/node', program: SCRIPT, vault: '/v' },
  ],
  [
    { url: 'http://127.0.0.1:7583/mcp', headers: { Authorization: 'Bearer roux_x' } },
    { kind: 'http', url: 'http://127.0.0.1:7583/mcp', token: 'roux_x' },
  ],
])("is Roux's entry: %j", (entry, own) => expect(readOwnEntry(entry)).toEqual(own))

test.each([
  [undefined],
  [null],
  ['roux'],
  [[]],
  [{}],
  [{ command: 7, args: 'serve' }],
  [{ command: 'npx', args: ['-y', 'other', 'serve', '/v'] }],
  [{ command: 'node', args: ['/other/main.js', 'serve', '/v'] }],
  [{ command: 'node', args: [SCRIPT, 'status'] }],
  [{ command: 'not-roux', args: ['serve'] }],
  [{ url: 'http://127.0.0.1:7583/mcp' }],
  [{ url: 'http://127.0.0.1:7583/mcp', headers: { Authorization: 'Bearer other' } }],
])("is not Roux's entry: %j", (entry) => expect(readOwnEntry(entry)).toBeUndefined())

test("keeps a user's additions, except how to reach the server", () => {
  const former = { type: 'stdio', command: 'o', args: ['o'], env: { ROUX_VAULT_MODE: 'docs' }, disabled: true }
  expect(keepAdditions({ command: 'n', args: [] }, former)).toEqual({
    command: 'n',
    args: [],
    env: { ROUX_VAULT_MODE: 'docs' },
    disabled: true,
  })
  expect(keepAdditions({ url: 'u', headers: {} }, former)).toEqual({ url: 'u', headers: {}, disabled: true })
  expect(keepAdditions({ command: 'n' }, undefined)).toEqual({ command: 'n' })
})

test("keeps a user's headers, except the token", () => {
  const fresh = { url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer roux_new' } }
  const former = { url: 'http://127.0.0.1:2/mcp', headers: { 'X-Team': 'a', authorization: 'Bearer roux_old' } }
  expect(keepAdditions(fresh, former)).toEqual({ ...fresh, headers: { Authorization: 'Bearer roux_new', 'X-Team': 'a' } })
  expect(keepAdditions(fresh, { url: 'x' })).toEqual(fresh)
})
