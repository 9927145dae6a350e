import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandLine } from '../support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

const token = async (words: string) => line.roux(['token', ...words.split(' ').filter((word) => word !== '')])
const fileOf = () => join(line.root, 'state/roux/tokens.json')
const kept = () => JSON.parse(readFileSync(fileOf(), 'utf8')).tokens

test('show creates the first token and prints only the token', async () => {
  const { code, out, err } = await token('show')
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe(`${kept()[0].secret}\n`)
  expect((await token('show default')).out).toBe(out)
  expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
})

test('add creates another token, read-only by default', async () => {
  const { out } = await token('add phone')
  const more = await token('add --scope read,write --vaults work,Home laptop')
  expect(kept()).toEqual([
    { name: 'phone', secret: out.trim(), scopes: ['read'], vaults: '*' },
    { name: 'laptop', secret: more.out.trim(), scopes: ['read', 'write'], vaults: ['work', 'home'] },
  ])
})

test('warns about a vault that the settings do not name', async () => {
  line.write('config/roux/roux.config.yaml', 'vaults:\n  work: /work\n  home: /home/ada/Notes\n')
  const { code, err } = await token('add laptop --vaults work,hom')
  expect([code, err]).toEqual([0, 'warning: The settings define no vault "hom", only work, home.\n'])
  expect(kept()[0].vaults).toEqual(['work', 'hom'])
  expect((await token('add phone --vaults work')).err).toBe('')
  expect((await token('add all --vaults *')).err).toBe('')
})

test('without named vaults, warns that a token only matches a folder of that name', async () => {
  const { code, err } = await token('add laptop --vaults nosuch,Vault')
  expect([code, err]).toEqual([
    0,
    'warning: The settings define no vaults: "nosuch" can only mean a folder of that name that is served by its path, as "vault" is here.\n',
  ])
  expect(kept()[0].vaults).toEqual(['nosuch', 'vault'])
  expect((await token('add phone --vaults vault')).err).toBe('')
})

test('list shows names, scopes and vaults, but no secrets', async () => {
  await token('add phone')
  const { out } = await token('list')
  expect(JSON.parse(out)).toEqual([{ name: 'phone', scopes: ['read'], vaults: '*' }])
})

test('rotate changes one secret, and remove deletes a token', async () => {
  const before = await token('show')
  const phone = await token('add phone')
  const rotated = await token('rotate')
  expect(rotated.out).not.toBe(before.out)
  expect((await token('show phone')).out).toBe(phone.out)
  expect(await token('remove phone')).toMatchObject({ code: 0, out: '' })
  expect(kept().map(({ name }: { name: string }) => name)).toEqual(['default'])
})

test("JSON output includes the token's rights", async () => {
  expect(JSON.parse((await token('add phone --json')).out)).toEqual({
    name: 'phone',
    token: expect.stringMatching(/^roux_/),
    scopes: ['read'],
    vaults: '*',
  })
})

test('restricts a token file that others can read, with a warning', async () => {
  await token('show')
  chmodSync(fileOf(), 0o644)
  const { code, err } = await token('list')
  expect([code, err]).toEqual([0, expect.stringMatching(/^warning: Other users of this computer could read/)])
  expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
})

test.each([
  ['', 2, 'Missing subcommand.\n  Run: roux token show|rotate|add|remove|list'],
  ['shw', 2, '"roux token shw" is not a command.\n  Did you mean "show"?'],
  ['toString', 2, '"roux token toString" is not a command.\n  Run: roux token show|rotate|add|remove|list'],
  ['add', 2, 'The name of the token is missing.\n  Run: roux token add <name>'],
  ['remove', 2, 'The name of the token is missing.\n  Run: roux token remove <name>'],
  ['add x --scope wirte', 2, 'There is no scope "wirte".\n  Did you mean "write"?'],
  ['add x --scope ,', 2, 'The token has no scope.\n  Scopes: read, write, attach, ai.'],
  ['add ../x', 2, '"../x" is not a valid token name.\n  Use at most 64 letters, digits, "-" and "_".'],
  ['remove nobody', 2, 'There is no token "nobody".\n  There are no tokens. "roux token add default" creates one.'],
  ['show a b', 2, 'Unexpected argument "b".\n  Run: roux token <show|rotate|add|remove|list> [name]'],
])('roux token %s: %i', async (words, code, message) => {
  expect(await token(words)).toEqual({ code, out: '', err: `error: ${message}\n` })
})
