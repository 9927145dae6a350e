import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, SHARES, type Wire } from './support.ts'

test('doctor reports how many servers use a vault; an unused one leaves no trace', async () => {
  const world = openWorld({ fixture: 'demo' })
  const told = async () => {
    const { out } = await world.roux(['doctor', world.vault, '--set', 'http.port=0', '--json'])
    return JSON.parse(out).checks.find(({ check }: Wire) => check === 'servers')
  }
  const folder = join(world.root, 'cache/roux/servers')
  const probe = world.serve()
  await probe.initialize()
  expect(existsSync(folder)).toBe(false)
  const servers = [world.serve(), world.serve()]
  for (const server of servers) {
    await server.initialize()
    await server.ask('list_tags')
  }
  const both = SHARES ? /^one process serves this vault: \d+$/ : /^2 processes serve this vault: \d+, \d+$/
  expect(await told()).toMatchObject({ state: 'ok', message: expect.stringMatching(both) })
  await servers[0]?.end()
  expect(await told()).toMatchObject({ message: expect.stringMatching(/^one process serves this vault: \d+$/) })
  await servers[1]?.end()
  await probe.end()
  expect(await told()).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})
