import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Dirty } from '../../src/core/vault.ts'
import { openDirtyBatch } from '../../src/vault/watch-vault.ts'

describe('changes', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const open = () => {
    const told: Dirty[] = []
    return { told, batch: openDirtyBatch({ quiet: 15, maxWait: 120 }, (dirty) => told.push(dirty)) }
  }

  test('are reported after a quiet moment', () => {
    const { told, batch } = open()
    batch.file('a.md')
    vi.advanceTimersByTime(10)
    batch.file('a.md')
    batch.file('b.md')
    vi.advanceTimersByTime(10)
    expect(told).toEqual([])
    vi.advanceTimersByTime(10)
    expect(told).toEqual([{ folders: [], files: ['a.md', 'b.md'], all: false }])
    vi.advanceTimersByTime(1000)
    expect(told).toHaveLength(1)
  })

  test('that keep coming are reported from time to time', () => {
    const { told, batch } = open()
    for (let i = 0; i < 100; i += 1) {
      batch.file(`${i}.md`)
      vi.advanceTimersByTime(5)
    }
    expect(told.length).toBeGreaterThanOrEqual(3)
    vi.advanceTimersByTime(100)
    expect(told.flatMap((dirty) => dirty.files)).toHaveLength(100)
  })

  test('omit what a folder covers', () => {
    const { told, batch } = open()
    for (const file of ['f/a.md', 'f/g/b.md', 'fg/c.md', 'd.md', 'f']) batch.file(file)
    for (const folder of ['f/g', 'f', 'h/i']) batch.folder(folder)
    vi.advanceTimersByTime(100)
    expect(told).toEqual([{ folders: ['f', 'h/i'], files: ['fg/c.md', 'd.md', 'f'], all: false }])
    batch.folder('')
    batch.folder('f')
    batch.file('a.md')
    vi.advanceTimersByTime(100)
    expect(told[1]).toEqual({ folders: [''], files: [], all: false })
  })

  test('are reported as "everything" if there are too many or they are unknown', () => {
    const { told, batch } = open()
    for (let i = 0; i < 6000; i += 1) batch.file(`${i}.md`)
    vi.advanceTimersByTime(200)
    batch.all()
    batch.file('a.md')
    vi.advanceTimersByTime(200)
    expect(told).toEqual([1, 2].map(() => ({ folders: [], files: [], all: true })))
  })

  test('are not reported after closing', () => {
    const { told, batch } = open()
    batch.file('a.md')
    batch.close()
    batch.file('b.md')
    vi.advanceTimersByTime(1000)
    expect(told).toEqual([])
  })
})
