import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { LONG } from '../support/long.ts'
import { openWorld } from './support.ts'

describe.runIf(LONG)('the suites of bench/, shortened', () => {
  const suite = (...args: readonly string[]) => {
    const [name = '', ...rest] = args
    const script = fileURLToPath(new URL(`../../bench/${name}.mjs`, import.meta.url))
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...rest], { encoding: 'utf8' })
    // The report of CI shows only the first line of an error, so the output of a failed run must be one line.
    return { status, stdout, stderr, output: JSON.stringify(`${stdout}${stderr}`) }
  }

  test('two servers and a human lose nothing', () => {
    const { status, stdout, stderr, output } = suite('concurrency', '--operations', '150')
    expect([status, stderr], output).toEqual([0, ''])
    expect(stdout).toMatch(/Nothing was lost/)
  })

  test('no byte changes outside the requested range', () => {
    const world = openWorld()
    const vault = join(world.root, 'demo')
    cpSync(fileURLToPath(new URL('../../fixtures/demo', import.meta.url)), vault, { recursive: true })
    const { status, stdout, stderr, output } = suite('fidelity', vault, '--sample', '12', '--variants', 'crlf,invalid')
    expect([status, stderr], output).toEqual([0, ''])
    expect(stdout.match(/^\| \d/gm)).toHaveLength(3 * 13)
  })

  test('vaults of unusual shapes are served', () => {
    const { status, stdout, output } = suite('odd-vaults', '--scale', '0.002', '--only', 'one source', '--only', 'events')
    expect(status, output).toBe(0)
    expect(stdout.match(/^\| [^|]+ \| \d/gm)).toHaveLength(2)
  })
})
