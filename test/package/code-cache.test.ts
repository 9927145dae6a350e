import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Loads the program as `roux` does, and prints whether V8 rejected the code cache: `undefined` if it was given none. */
const LOADING = "process.stdout.write(String(require('./dist/launch.js').load('dist/cli/main.app.js').cachedDataRejected))"

test.each([
  ['the same Node uses the code cache', '', 'false'],
  ['another version of Node is given no code cache', "versions = { ...process.versions, node: '20.19.0' }", 'undefined'],
  ['another build of the same version is given none', "config = { variables: { node_shared: 'true' } }", 'undefined'],
])('%s', (_, change, rejected) => {
  const changing = change === '' ? '' : change.replace(/^(\w+) = (.*)$/, "Object.defineProperty(process, '$1', { value: $2 });")
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', changing + LOADING], { cwd: root, encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: rejected, stderr: '' })
})
