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
    return spawnSync(process.execPath, [script, ...rest], { encoding: 'utf8' })
  }

  test('two servers and a human lose nothing', () => {
    const { status, stdout, stderr } = suite('concurrency', '--operations', '150')
    // On one line, because the report of CI shows only the first line of an error.
    expect([status, stderr], JSON.stringify(`${stdout}${stderr}`)).toEqual([0, ''])
    expect(stdout).toMatch(/Nothing was lost/)
  })

  test('no byte changes outside the requested range', () => {
    const world = openWorld()
    const vault = join(world.root, 'demo')
    cpSync(fileURLToPath(new URL('../../fixtures/demo', import.meta.url)), vault, { recursive: true })
    const { status, stdout, stderr } = suite('fidelity', vault, '--sample', '12', '--variants', 'crlf,invalid')
    expect([status, stderr], JSON.stringify(`${stdout}${stderr}`)).toEqual([0, ''])
    expect(stdout.match(/^\| \d/gm)).toHaveLength(3 * 13)
  })

  test('vaults of unusual shapes are served', () => {
    const { status, stdout, stderr } = suite('odd-vaults', '--scale', '0.002', '--only', 'one source', '--only', 'events')
    expect(status, JSON.stringify(`${stdout}${stderr}`)).toBe(0)
    expect(stdout.match(/^\| [^|]+ \| \d/gm)).toHaveLength(2)
  })
})
