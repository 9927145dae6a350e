import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasRoom } from '../../../src/store/embedded/location.ts'
import { temporaryFolder } from '../../support/temporary.ts'

test('there is room for an index in a folder that can be written, and none below a file or in place of a folder', () => {
  const placeIn = (folder: string) => ({
    type: 'embedded' as const,
    file: join(folder, 'index.db'),
    searchFile: join(folder, 'search.db'),
    insightFile: '',
    layoutFile: '',
    pictureFile: '',
    memory: '',
  })
  const [good, blocked, taken] = [temporaryFolder(), join(temporaryFolder(), 'roux'), temporaryFolder()]
  writeFileSync(blocked, 'no folder')
  mkdirSync(join(taken, 'search.db'))
  expect([good, join(good, 'new'), blocked, taken, '/dev/null/none'].map((folder) => hasRoom(placeIn(folder)))).toEqual([
    ...[true, true],
    ...[false, false, false],
  ])
})
