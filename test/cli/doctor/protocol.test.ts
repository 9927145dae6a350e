import { expect, test } from 'vitest'
import { checkProtocol } from '../../../src/cli/doctor/protocol.ts'
import { toSettings } from '../../../src/config/settings.ts'

test('the server answers a client of either era, over stdio and over HTTP', async () => {
  const settings = toSettings(new Map([['tools.write', true]]))
  const versions = 'versions 2025-11-25 and 2026-07-28'
  const messages = (await checkProtocol(settings)).map(
    ({ state, message }) => `${state} ${message.replace(/\d+ tools/, 'n tools')}`,
  )
  expect(messages).toEqual([`ok over stdio: ${versions}, n tools`, `ok over HTTP: ${versions}, n tools`])
})
