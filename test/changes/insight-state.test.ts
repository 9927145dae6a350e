import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openInsightState } from '../../src/changes/insight-state.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'

function place() {
  const folder = temporaryFolder()
  const path = join(folder, 'state', 'insight.db')
  const open = (root = '/vault') => {
    const state = openInsightState({ path, root, openDatabase: openSqlite, now: () => 5 })
    onTestFinished(() => state.close())
    return state
  }
  return { path, open }
}

test('decisions persist across restarts, for their vault only', () => {
  const { path, open } = place()
  const state = open()
  expect(state.communities()).toBeUndefined()
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  state.keepCommunities(Uint8Array.of(1, 2, 3))
  state.setLabel('c4', 'Sync')
  state.dismiss('cut:a.md')
  const again = open()
  expect([...(again.communities() ?? [])]).toEqual([1, 2, 3])
  expect([...again.labels()]).toEqual([['c4', 'Sync']])
  expect([...again.dismissed()]).toEqual(['cut:a.md'])
  const other = open('/other')
  expect([other.communities(), other.labels().size, other.dismissed().size]).toEqual([undefined, 0, 0])
})

test('labels and dismissals can be taken back', () => {
  const state = place().open()
  state.setLabel('c4', 'Sync')
  state.setLabel('c4', undefined)
  expect(state.labels().size).toBe(0)
  expect(state.restore('cut:a.md')).toBe(false)
  state.dismiss('cut:a.md')
  expect(state.restore('cut:a.md')).toBe(true)
  expect(state.dismissed().size).toBe(0)
})

test('a foreign file is treated as empty and never written', () => {
  const { path, open } = place()
  open().dismiss('cut:a.md')
  writeFileSync(path, 'something else')
  const state = open()
  expect([state.communities(), state.labels().size]).toEqual([undefined, 0])
  state.keepCommunities(Uint8Array.of(1))
  expect(() => state.setLabel('c4', 'Sync')).toThrow(expect.objectContaining({ code: 'PROVIDER_ERROR' }))
})
