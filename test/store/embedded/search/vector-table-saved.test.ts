import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LoadedVectors } from '../../../../src/store/embedded/search/loaded-vectors.ts'
import { graphPath, sweepGraphs } from '../../../../src/store/embedded/search/search-index.ts'
import { type HnswAddon, loadHnswAddon } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'
import { drawClusters, drawUnitVector, generator } from '../vectors/draw-vectors.ts'
import { countingAddon } from '../vectors/stand-in-addon.ts'
import { current, DIMENSIONS, until, untilBuilt, VectorNotes } from './vector-notes.ts'

const { addon, reason } = await loadHnswAddon()

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roux-graph-'))
})
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
})
afterAll(() => rmSync(folder, { recursive: true }))

if (addon === undefined) test.skip(`saved graph: ${reason}`, () => undefined)
else testSaved(addon)

function testSaved(addon: HnswAddon): void {
  describe('the saved graph of a vector table', () => {
    const random = generator(7)
    const drawn = drawClusters(random, DIMENSIONS, 640)
    const path = () => join(folder, 'search.db.hnsw-0')
    const files = () => readdirSync(folder).filter((name) => !name.endsWith('.tmp'))
    const someNotes = () => {
      const notes = new VectorNotes()
      for (let key = 0; key < 200; key++) notes.set(key, drawn.slice(3 * key, 3 * key + 3))
      return notes
    }
    const open = async (notes: VectorNotes, keys?: number[]) => {
      const counting = countingAddon(addon)
      const table = await notes.open({ kind: 'hnsw', path: path(), loadAddon: async () => ({ addon: counting.addon }) }, keys)
      table.endLoading()
      await untilBuilt(table)
      return { table, added: counting.added }
    }
    const expectTrue = (table: LoadedVectors, notes: VectorNotes) => {
      for (const query of drawn.slice(600)) {
        const truth = notes.truth(query).slice(0, 10)
        const hits = table.nearestChunks(query, 10, current())
        expect(hits).toHaveLength(10)
        const found = hits.filter(({ key, ordinal }) => truth.some((hit) => hit.key === key && hit.ordinal === ordinal))
        expect(found.length).toBeGreaterThanOrEqual(9)
      }
    }
    const save = async (notes: VectorNotes) => {
      const before = sidecar()
      const { table } = await open(notes)
      await until(() => sidecar() !== before && files().length === 3)
      table.close()
    }
    /** Waits until all saves have finished. */
    const untilQuiet = async () => {
      for (let before = ''; before !== readdirSync(folder).join(); ) {
        before = readdirSync(folder).join()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const sidecar = () => {
      try {
        return readFileSync(path(), 'utf8')
      } catch {
        return undefined
      }
    }

    test('comes back after a restart, whatever the order of loading', async () => {
      const notes = someNotes()
      await save(notes)
      const { table, added } = await open(notes, [...notes.rows.keys()].reverse())
      expect(added()).toBe(0)
      expectTrue(table, notes)
      table.close()
    })

    test('adds only what changed meanwhile', async () => {
      const notes = someNotes()
      await save(notes)
      notes.rows.delete(5)
      notes.set(9, [drawn[28] as Float32Array, drawUnitVector(random, DIMENSIONS)])
      notes.set(1000, [drawUnitVector(random, DIMENSIONS)])
      const { table, added } = await open(notes)
      expect(added()).toBe(2)
      expectTrue(table, notes)
      table.close()
    })

    test('is discarded if most vectors changed', async () => {
      const notes = someNotes()
      await save(notes)
      const other = new VectorNotes()
      for (let key = 0; key < 200; key++) other.set(key, drawClusters(random, DIMENSIONS, 3))
      const { table, added } = await open(other)
      expect(added()).toBe(600)
      expectTrue(table, other)
      table.close()
    })

    test('is rebuilt if any file is damaged, and every answer is right', async () => {
      const notes = someNotes()
      await save(notes)
      const whole = files().map((name) => [name, readFileSync(join(folder, name))] as const)
      for (let round = 0; round < 18; round++) {
        for (const [name, bytes] of whole) writeFileSync(join(folder, name), bytes)
        const [name, bytes] = whole[round % whole.length] as (typeof whole)[number]
        writeFileSync(join(folder, name), damaged(bytes, generator(round)))
        if (round % 12 > 8) rmSync(join(folder, name))
        const { table, added } = await open(notes)
        expect(added()).toBeGreaterThanOrEqual(600)
        expectTrue(table, notes)
        table.close()
        await untilQuiet()
      }
    })

    test('stays whole when two servers save at the same time', async () => {
      const notes = someNotes()
      const keys = [...notes.rows.keys()]
      for (let round = 0; round < 4; round++) {
        const [one, two] = await Promise.all([open(notes, keys.slice(round)), open(notes, keys.toReversed())])
        await until(() => files().length >= 3 && !readdirSync(folder).some((name) => name.endsWith('.tmp')))
        one.table.close()
        two.table.close()
        await untilQuiet()
        const { table, added } = await open(notes)
        expect(added()).toBeLessThanOrEqual(3 * round)
        expectTrue(table, notes)
        table.close()
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
      }
    })

    test('if nothing can be written, the graph works, and the state says so', async () => {
      const notes = someNotes()
      const table = await notes.open({ kind: 'hnsw', path: join(folder, 'missing', 'x'), loadAddon: async () => ({ addon }) })
      table.endLoading()
      await until(() => table.state.reason?.includes('could not be saved') ?? false)
      expect(table.state.index).toBe('hnsw')
      expectTrue(table, notes)
      table.close()
    })
  })
}

describe('files of graphs', () => {
  test('are next to the search index, one set per embedder; there are none in memory', () => {
    expect(graphPath({ kind: 'memory', name: 'x' }, 'a')).toBeUndefined()
    const place = { kind: 'file', path: join(folder, 'search.db') } as const
    expect(graphPath(place, 'a')).toMatch(/search\.db\.hnsw-[0-9a-f]{16}$/)
    expect(graphPath(place, 'a')).not.toBe(graphPath(place, 'b'))
  })

  test('of embedders without vectors are deleted, and nothing else', async () => {
    const place = { kind: 'file', path: join(folder, 'search.db') } as const
    const [a, b] = [graphPath(place, 'a') as string, graphPath(place, 'b') as string]
    const kept = [a, `${a}-1.data`, `${a}-2.manifest`, join(folder, 'search.db'), join(folder, 'other.db.hnsw-1')]
    for (const path of [...kept, b, `${b}-1.data`, `${b}-9.tmp`]) writeFileSync(path, '')
    await sweepGraphs(place, ['a'])
    expect(readdirSync(folder).sort()).toEqual(kept.map((path) => path.slice(folder.length + 1)).sort())
    await sweepGraphs({ kind: 'file', path: join(folder, 'missing', 'search.db') }, [])
  })
})

/** Flips a bit, truncates, or replaces the content. */
function damaged(bytes: Buffer, draw: () => number): Buffer {
  const at = Math.floor(draw() * bytes.length)
  const kind = Math.floor(draw() * 3)
  if (kind === 0) return Buffer.concat([bytes.subarray(0, at), Buffer.from([(bytes[at] as number) ^ 1]), bytes.subarray(at + 1)])
  return kind === 1 ? bytes.subarray(0, at) : Buffer.alloc(bytes.length, 7)
}
