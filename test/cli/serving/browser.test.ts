import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openInBrowser } from '../../../src/cli/serving/browser.ts'
import type { Places } from '../../../src/install/clients.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const ADDRESS = 'http://127.0.0.1:1/#code=SECRET&note=a%22b'

/** A desktop whose `xdg-open` records its arguments. */
function desktop({ browser = 'firefox.desktop' } = {}) {
  const root = temporaryFolder()
  const program = (name: string, script: string): void => {
    mkdirSync(join(root, 'bin'), { recursive: true })
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(root, 'bin', name), 0o755)
  }
  program('xdg-open', `echo "$@" > '${root}/new' && mv '${root}/new' '${root}/arguments'`)
  program('xdg-settings', `echo ${browser}`)
  const env = { PATH: `${join(root, 'bin')}:${process.env.PATH}`, XDG_STATE_HOME: join(root, 'state') }
  const host: Places = { env, home: join(root, 'home'), platform: 'linux' }
  const given = join(root, 'arguments')
  return {
    root,
    /** Opens the address; `look` gets the file given to the browser while it exists. */
    async open(look: (file: string) => void): Promise<string> {
      let isSeen = false
      const isWaiting = (): boolean => {
        if (isSeen || !existsSync(given)) return !isSeen
        isSeen = true
        look(fileURLToPath(readFileSync(given, 'utf8').trim()))
        return true
      }
      await openInBrowser(ADDRESS, { host, isWaiting, signal: new AbortController().signal })
      return readFileSync(given, 'utf8').trim()
    },
  }
}

test.skipIf(process.platform !== 'linux')(
  'passes a file readable only by the user to the browser, instead of the code',
  async () => {
    const { root, open } = desktop()
    const given = await open((file) => {
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).toContain('content="0; url=http://127.0.0.1:1/#code=SECRET&amp;note=a%22b"')
    })
    expect(given).toMatch(/^file:\/\/\S+\/roux-open-[0-9a-f]{16}\.html$/)
    expect(readdirSync(join(root, 'state/roux')), 'it is removed').toEqual([])
    expect(statSync(join(root, 'state/roux')).mode & 0o777).toBe(0o700)
  },
)

test.skipIf(process.platform !== 'linux')('a snap browser gets a file in a folder that it can read', async () => {
  const { root, open } = desktop({ browser: 'firefox_firefox.desktop' })
  const common = join(root, 'home/snap/firefox/common')
  mkdirSync(common, { recursive: true })
  await open((file) => expect(dirname(file)).toBe(common))
  expect(readdirSync(common)).toEqual([])
})

test.skipIf(process.platform !== 'linux')('removes files left by killed processes, and no others', async () => {
  const { root, open } = desktop()
  const folder = join(root, 'state/roux')
  mkdirSync(folder, { recursive: true })
  const names = ['roux-open-0123456789abcdef.html', 'roux-open-fedcba9876543210.html', 'notes.html']
  for (const name of names) writeFileSync(join(folder, name), '')
  const old = new Date(Date.now() - 600_000)
  for (const name of [names[0], names[2]]) utimesSync(join(folder, name ?? ''), old, old)
  await open(() => {})
  expect(readdirSync(folder)).toEqual([names[2], names[1]])
})
