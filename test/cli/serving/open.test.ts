import { afterEach, beforeEach, expect, test } from 'vitest'
import { searchCore } from '../../app/search-core.ts'
import { commandLine } from '../support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

test('roux open --note rejects an unknown note with similar names, and serves nothing', async () => {
  const core = await searchCore({ 'Hydration.md': 'Water.\n', 'Rye.md': '[[Hydration]]\n' })
  const refused = async (note: string) => {
    const { code, out, err } = await line.roux(['open', '--print', '--note', note], { core: () => core })
    expect([code, out]).toEqual([1, ''])
    return err
  }
  expect(await refused('Hydrant table')).toMatch(
    /^error: There is no note "Hydrant table"\.\n {2}Similar names:\n {2}hydration\.md\n$/,
  )
  expect(await refused('Zzz')).toMatch(/^error: There is no note "Zzz"\.\n {2}Omit --note/)
})

test('roux open treats an argument that is no folder or vault as a note, and rejects an unknown one', async () => {
  const core = await searchCore({ 'Hydration.md': 'Water.\n' })
  const opened: string[] = []
  const refused = async (...args: readonly string[]) => {
    const { code, err } = await line.roux(['open', '--print', ...args], {
      core: (settings) => {
        opened.push(settings.vault.path)
        return core
      },
    })
    expect(code).toBe(1)
    return err
  }
  expect(await refused('Hydrant table')).toMatch(
    /^error: There is no folder, vault or note "Hydrant table"\.\n {2}Similar names:\n {2}hydration\.md\n$/,
  )
  expect(await refused('x'.repeat(5_000))).toMatch(/^error: There is no folder, vault or note "x+/)
  expect(new Set(opened).size).toBe(1)
  expect(opened[0]).not.toContain('Hydrant')
})

test.each([[['/nope']], [['./nope.md']], [['--vault', '/nope']], [['--set', 'vault.path=/nope']]])(
  'roux open %j is an error, because no such folder exists',
  async (args) => {
    const { code, out, err } = await line.roux(['open', '--print', ...args])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^error: There is no folder \S*nope\S*\.\n {2}Give the folder/)
  },
)
