import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLIENTS } from '../../src/install/clients.ts'

const PAGE = readFileSync(new URL('../../docs/install.md', import.meta.url), 'utf8')
const HOME = '/home'

test('the page names the settings file of every client', () => {
  const windows = { platform: 'win32', home: '%USERPROFILE%', env: { APPDATA: '%APPDATA%' } }
  for (const client of CLIENTS) {
    const [macOS, linux] = ['darwin', 'linux'].map((platform) =>
      client.file({ platform, home: HOME, env: {} }).replace(HOME, '~'),
    )
    const cells = [client.name, macOS, client.file(windows), linux, client.key]
    expect(PAGE).toContain(`| ${cells.map((cell) => `\`${cell}\``).join(' | ')} |`)
  }
})
