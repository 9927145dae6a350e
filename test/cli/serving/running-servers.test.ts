import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceServer, serversOf } from '../../../src/cli/serving/running-servers.ts'
import { temporaryFolder } from '../../support/temporary.ts'

test('a running server is found by any path to its vault', () => {
  const root = temporaryFolder()
  const [folder, vault, link] = ['cache/servers', 'vault', 'link'].map((name) => join(root, name)) as [string, string, string]
  mkdirSync(vault)
  symlinkSync(vault, link)
  expect(serversOf(folder, vault)).toEqual([])
  const stop = announceServer(folder, [vault, join(root, 'not there')])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(serversOf(folder, link)).toEqual([process.pid])
  expect(serversOf(folder, root)).toEqual([])
  stop()
  expect(serversOf(folder, vault)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('a dead server is ignored and later removed', () => {
  const folder = temporaryFolder()
  const say = (pid: number, text = JSON.stringify({ vaults: ['/vault'] })) => writeFileSync(join(folder, `${pid}.json`), text)
  // No process has this id.
  say(2 ** 30)
  say(1, 'no JSON')
  say(process.ppid)
  expect(serversOf(folder, '/vault')).toEqual([process.ppid])
  const before = new Date(Date.now() - 600_000)
  utimesSync(join(folder, `${process.ppid}.json`), before, before)
  expect(serversOf(folder, '/vault')).toEqual([])
  announceServer(folder, [])()
  expect(readdirSync(folder)).not.toContain(`${process.ppid}.json`)
})

test('a folder without write permission is ignored', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => announceServer(join(file, 'servers'), ['/vault'])()).not.toThrow()
})
