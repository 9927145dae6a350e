import { expect, test } from 'vitest'
import { checkDiagnosis } from '../../../src/cli/doctor/checks.ts'
import type { Diagnosis } from '../../../src/compose/index.ts'
import { SOUND } from '../support.ts'

const found = (diagnosis: Partial<Diagnosis>, check: string) =>
  checkDiagnosis({ ...SOUND, ...diagnosis }).filter((finding) => finding.check === check)

test.each<[Diagnosis['searchIndex']['state'], string]>([
  ['absent', 'ok'],
  ['present', 'ok'],
  ['damaged', 'warn'],
  ['foreign', 'warn'],
  ['newer', 'warn'],
  ['older', 'warn'],
])('a search index that is %s: %s', (state, expected) => {
  const [finding] = found({ searchIndex: { file: '/s.db', state } }, 'search')
  expect(finding?.state).toBe(expected)
  expect(finding?.hint === undefined).toBe(expected === 'ok')
})

test('reports everything that an embedder lacks, with what to do', () => {
  const embedder = [
    { works: false, message: 'No package.', hint: '`npm install` it.' },
    { works: false, message: 'No model.' },
  ]
  expect(found({ embedder }, 'embedder')).toEqual([
    {
      check: 'embedder',
      state: 'fail',
      message: 'No package. Until then, search works by words only.',
      hint: '`npm install` it.',
    },
    { check: 'embedder', state: 'fail', message: 'No model. Until then, search works by words only.' },
  ])
  expect(found({}, 'embedder')).toEqual([{ check: 'embedder', state: 'ok', message: 'static:m:256' }])
})

test('reports the state of a database instead of index files', () => {
  const database = [{ state: 'fail', message: 'Neo4j cannot be reached.', hint: 'Start it.' }] as const
  expect(found({ database }, 'database')).toEqual([{ check: 'database', ...database[0] }])
  expect([...found({ database }, 'index'), ...found({ database }, 'search')]).toEqual([])
})

test('reports an unusable vector index, with how to build it', () => {
  expect(found({}, 'vectors')).toEqual([])
  const [finding] = found({ hnsw: 'hnswlib-node cannot be loaded.' }, 'vectors')
  expect(finding).toMatchObject({ state: 'warn', hint: expect.stringContaining('npm rebuild hnswlib-node') })
})
