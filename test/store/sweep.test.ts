import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/compose/engine.ts'
import { readSettings } from '../../src/config/load.ts'
import { sweepOldIndexes } from '../../src/store/embedded/location.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('deletes indexes unused for 30 days; its own, recent ones and other files stay', () => {
  const folder = temporaryFolder()
  const now = Date.now()
  const days = (count: number) => new Date(now - count * 24 * 3_600_000)
  const own = `index-${'a'.repeat(24)}.db`
  const old = `index-${'b'.repeat(24)}.db`
  const young = `index-${'c'.repeat(24)}.db`
  const draft = `index-${'d'.repeat(24)}.db.12-1.new`
  for (const [name, age] of [
    [own, 90],
    [old, 31],
    [`${old}-wal`, 31],
    [young, 29],
    [draft, 40],
    [`insight-1-${'b'.repeat(24)}.db`, 31],
    [`insight-1-${'a'.repeat(24)}.db`, 31],
    [`layout-${'b'.repeat(24)}.json`, 1],
    [`layout-${'a'.repeat(24)}.json`, 90],
    [`layout-${'d'.repeat(24)}.json`, 31],
    [`picture-${'d'.repeat(24)}.json`, 31],
    [`layout-${'a'.repeat(24)}.json.77.tmp`, 31],
    [`layout-${'c'.repeat(24)}.json`, 90],
    ['notes.md', 400],
  ] as const) {
    writeFileSync(join(folder, name), 'x')
    utimesSync(join(folder, name), days(age), days(age))
  }
  sweepOldIndexes(join(folder, own), now)
  const kept = [own, young, `insight-1-${'a'.repeat(24)}.db`, `layout-${'a'.repeat(24)}.json`, `layout-${'c'.repeat(24)}.json`]
  expect(readdirSync(folder).sort()).toEqual([...kept, 'notes.md'].sort())
})

test.each(['embedded', 'neo4j'])(
  'with store.type %s, all files of a vault are in the cache folder, including its map layout',
  async (type) => {
    const folder = temporaryFolder()
    const { settings } = await readSettings({
      cwd: folder,
      env: { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      set: [`store.type=${type}`, 'store.neo4j.url=bolt://db.example:7687', `cache.path=${folder}`],
      toolNames: async () => [],
    })
    const { insightFile, layoutFile, pictureFile } = placeOf(settings, join(folder, 'vault'), {})
    for (const file of [insightFile, layoutFile, pictureFile]) expect(dirname(file)).toBe(folder)
  },
)
