import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { mirrorVault } from './mirror.ts'
import { writeFiles } from './support.ts'

const limit = vi.hoisted(() => ({ code: '', watches: 0 }))

vi.mock('node:fs', async (importActual) => {
  const actual = await importActual<typeof import('node:fs')>()
  const watch = (path: string) => {
    limit.watches -= 1
    if (limit.watches < 0) throw Object.assign(new Error(`${limit.code}: no more watches, watch '${path}'`), { code: limit.code })
    return actual.watch(path)
  }
  return { ...actual, watch }
})

test.each([
  ['ENOSPC', 0],
  ['ENOSPC', 2],
  ['EMFILE', 1],
])('on %s after %i watches, the vault is polled and a problem reported', async (code, watches) => {
  Object.assign(limit, { code, watches })
  const root = temporaryFolder()
  writeFiles(root, { 'f/g/h/a.md': '', 'i/a.md': '', 'j/a.md': '', 'k/a.md': '' })
  const mirror = await mirrorVault(root, { engine: 'inotify', polling: { shortest: 20, longest: 40 } })
  await mirror.until(() => mirror.problems.length > 0)
  writeFileSync(join(root, 'f/g/h/a.md'), 'edited')
  await mirror.settle()
  await mirror.until(() => mirror.told.length > 2)
  expect(mirror.told.every((dirty) => dirty.all)).toBe(true)
  expect(mirror.problems).toEqual([expect.stringContaining(code)])
})
