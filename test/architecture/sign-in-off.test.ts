import { expect, test } from 'vitest'
import { evaluatedBefore, files } from './imports.ts'

/** The command that opens the window for a sign-in. It is loaded when it runs. */
const COMMAND = 'cli/serving/connect.ts'

test('no sign-in code is loaded before a server has a public address or a person asks for it', () => {
  const others = files.filter((file) => !file.startsWith('oauth/'))
  expect(others).toContain(COMMAND)
  const loading = others.filter((file) => evaluatedBefore(file).some((other) => other.startsWith('oauth/')))
  expect(loading).toEqual([COMMAND])
  expect(others.filter((file) => evaluatedBefore(file).includes(COMMAND))).toEqual([])
})
