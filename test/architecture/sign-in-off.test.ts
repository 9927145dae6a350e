import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** The command that opens the window for a sign-in. It is loaded when it runs. */
const COMMAND = 'cli/serving/connect.ts'

/** The files of ours that a file has evaluated before itself. */
function evaluatedBefore(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (?!type )(?:[^'();]*? from )?'(\.[^']+)'/gm)]
  return imports.map(([, path = '']) => normalize(join(dirname(file), path)).replaceAll('\\', '/'))
}

test('nothing of sign-in is loaded before a server has a public address or a person asks for it', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('oauth/'))
  expect(files).toContain(COMMAND)
  const loading = files.filter((file) => evaluatedBefore(file).some((other) => other.startsWith('oauth/')))
  expect(loading).toEqual([COMMAND])
  expect(files.filter((file) => evaluatedBefore(file).includes(COMMAND))).toEqual([])
})
