import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { userFolders } from '../../src/config/environment.ts'

test('uses the XDG variables', () => {
  const env = { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k', XDG_STATE_HOME: '/s' }
  expect(userFolders(env)).toEqual({ config: join('/c', 'roux'), cache: join('/k', 'roux'), state: join('/s', 'roux') })
})

test.runIf(process.platform === 'linux')('uses the home folder if they are missing or relative', () => {
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME } = process.env
  if (XDG_CONFIG_HOME || XDG_CACHE_HOME || XDG_STATE_HOME) return
  const home = {
    config: join(homedir(), '.config/roux'),
    cache: join(homedir(), '.cache/roux'),
    state: join(homedir(), '.local/state/roux'),
  }
  expect(userFolders({})).toEqual(home)
  expect(userFolders({ XDG_CACHE_HOME: 'relative' })).toEqual(home)
})
