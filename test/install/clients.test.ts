import { describe, expect, test } from 'vitest'
import { CLIENTS, type Client, findClient, type Places } from '../../src/install/clients.ts'
import { putEntry } from '../../src/install/entries.ts'

const PLATFORMS: Readonly<Record<string, Places>> = {
  macOS: { platform: 'darwin', home: '/Users/ada', env: { XDG_CONFIG_HOME: '/elsewhere' } },
  Windows: { platform: 'win32', home: 'C:\\Users\\Ada', env: { APPDATA: 'C:\\Users\\Ada\\AppData\\Roaming' } },
  'Windows without APPDATA': { platform: 'win32', home: 'C:\\Users\\Ada', env: {} },
  Linux: { platform: 'linux', home: '/home/ada', env: {} },
  'Linux with XDG': { platform: 'linux', home: '/home/ada', env: { XDG_CONFIG_HOME: '/conf', CLAUDE_CONFIG_DIR: '/claude' } },
  'Linux with a relative folder, which the specification has ignored': {
    platform: 'linux',
    home: '/home/ada',
    env: { XDG_CONFIG_HOME: 'conf' },
  },
}

test.each(Object.entries(PLATFORMS))('paths of the settings files: %s', (_, places) => {
  expect(CLIENTS.map((client) => client.file(places)).join('\n')).toMatchSnapshot()
})

test('an installed client is recognized by its folder', () => {
  const [, , , linux] = Object.values(PLATFORMS)
  expect(CLIENTS.map((client) => client.sign(linux as Places))).toEqual([
    '/home/ada/.config/Claude',
    '/home/ada/.claude',
    '/home/ada/.cursor',
    '/home/ada/.config/Code/User',
    '/home/ada/.config/zed',
  ])
})

const LAUNCH = { command: '/usr/bin/node', args: ['/opt/roux/dist/cli/main.js', 'serve', '/home/ada/My notes', '--write'] }
const ENDPOINT = { url: 'http://127.0.0.1:7583/mcp', token: 'roux_secret' }

describe.each(CLIENTS.map((client): [string, Client] => [client.name, client]))('%s', (_, client) => {
  const place = { file: 'settings', key: client.key, name: 'roux' }

  test('file with an entry for a stdio server', () => {
    expect(putEntry('', place, client.stdio(LAUNCH))).toMatchSnapshot()
  })

  test.skipIf(client.http === undefined)('file with an entry for an HTTP server', () => {
    expect(putEntry('', place, client.http?.(ENDPOINT) ?? {})).toMatchSnapshot()
  })

  test('is found by name', () => expect(findClient(client.name)).toBe(client))
})
