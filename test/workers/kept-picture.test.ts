import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { openCore } from '../../src/compose/index.ts'
import { toSettings } from '../../src/config/settings.ts'
import { temporaryFolder } from '../support/temporary.ts'

afterEach(() => vi.unstubAllEnvs())

test('a kept map is dropped when only the day of a last change differs, and not for another hour', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const root = join(folder, 'vault')
  mkdirSync(root)
  writeFileSync(join(root, 'bread.md'), '# Bread\n')
  /** Starts with a file changed at this time. Returns the kept map, and keeps it again. */
  const keptAt = async (time: string) => {
    utimesSync(join(root, 'bread.md'), new Date(time), new Date(time))
    const core = await openCore(toSettings(new Map([['vault.path', root]])), { watch: false })
    core.indexing.begin()
    await core.indexing.ready(10_000)
    const kept = await core.layouts.keptPicture('key')
    await core.layouts.keepPicture('key', '{}')
    await core.close()
    return kept
  }
  expect(await keptAt('2026-03-04T10:00Z')).toBeUndefined()
  expect(await keptAt('2026-03-04T11:00Z')).toBe('{}')
  expect(await keptAt('2026-03-05T11:00Z')).toBeUndefined()
})
