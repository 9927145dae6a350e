import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LoadedVectors } from '../../../../src/store/embedded/search/loaded-vectors.ts'
import { type HnswAddon, loadHnswAddon } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'
import { drawClusters, drawUnitVector, generator } from '../vectors/draw-vectors.ts'
import { countingAddon, standInAddon } from '../vectors/stand-in-addon.ts'
import { current, DIMENSIONS, until, untilBuilt, VectorNotes } from './vector-notes.ts'

const { addon, reason } = await loadHnswAddon()

testTable('exact')
testTable('hnsw, over a stand-in', standInAddon)
if (addon === undefined) test.skip(`hnsw: ${reason}`, () => undefined)
else testTable('hnsw', addon)

/** Behavior of a table with any method of comparison. */
function testTable(name: string, addon?: HnswAddon): void {
  describe(`vector table, ${name}`, () => {
    const open = (notes: VectorNotes, keys?: number[]) =>
      notes.open(addon && { kind: 'hnsw', loadAddon: async () => ({ addon }) }, keys)
    const settled = async (table: LoadedVectors) => {
      table.endLoading()
      const isEmpty = table.nearestChunks(drawUnitVector(generator(1), DIMENSIONS), 1, () => true).length === 0
      if (addon !== undefined && !isEmpty) await untilBuilt(table)
      return table
    }

    test('an empty table finds nothing', async () => {
      const table = await settled(await open(new VectorNotes()))
      expect(table.nearestChunks(drawUnitVector(generator(1), DIMENSIONS), 5, current())).toEqual([])
      table.close()
    })

    test('after any changes, returns as many accepted results as requested, with true scores, usually the best', async () => {
      const change = fc.record({ key: fc.nat(15), chunks: fc.nat(4), seed: fc.nat(40) })
      const property = fc.asyncProperty(
        fc.array(change, { maxLength: 40 }),
        fc.integer({ min: 1, max: 16 }),
        async (changes, oneIn) => {
          const notes = new VectorNotes()
          const table = await open(notes)
          const half = Math.floor(changes.length / 2)
          for (const [at, { key, chunks, seed }] of changes.entries()) {
            if (at === half) await settled(table)
            const drawn = drawClusters(generator(seed), DIMENSIONS, chunks)
            if (chunks > 0) table.set(notes.set(key, drawn, drawn.slice(0, 1)))
            else if (notes.rows.delete(key)) table.delete(key)
          }
          const query = drawUnitVector(generator(half), DIMENSIONS)
          const accept = (key: number) => key % oneIn === 0
          expectBest(table, notes, { query, accept })
          await settled(table)
          expectBest(table, notes, { query, accept })
          table.close()
        },
      )
      await fc.assert(property, { numRuns: 60 })
    })

    test('handles the same text twice in one note, and a text without a vector', async () => {
      const notes = new VectorNotes()
      const [a, b] = drawClusters(generator(2), DIMENSIONS, 2) as [Float32Array, Float32Array]
      notes.set(3, [a, new Float32Array(DIMENSIONS), a, b])
      const table = await settled(await open(notes))
      const places = () => table.nearestChunks(a, 9, current()).map(({ ordinal }) => ordinal)
      expect(places().slice(0, 2).sort()).toEqual([0, 2])
      expect(places().length).toBe(3)
      table.set(notes.set(3, [b, a]))
      expect(places()).toEqual([1, 0])
      await settled(table)
      expect(places()).toEqual([1, 0])
      table.close()
    })

    test('skips vectors whose key now belongs to another file', async () => {
      const notes = new VectorNotes()
      const drawn = drawClusters(generator(3), DIMENSIONS, 20)
      drawn.forEach((vector, key) => void notes.set(key, [vector]))
      const table = await settled(await open(notes))
      const accept = (key: number, stamp: number) => key !== 7 && current()(key, stamp)
      expect(table.nearestChunks(drawn[7] as Float32Array, 3, accept).map(({ key }) => key)).not.toContain(7)
      table.close()
    })

    test('finds nothing after closing', async () => {
      const notes = new VectorNotes()
      const [vector] = drawClusters(generator(4), DIMENSIONS, 1) as [Float32Array]
      notes.set(0, [vector], [vector])
      const table = await settled(await open(notes))
      expect(table.nearestNames(vector, 3, current())).toHaveLength(1)
      table.close()
      expect(table.nearestChunks(vector, 3, current())).toEqual([])
      expect(table.nearestNames(vector, 3, current())).toEqual([])
    })
  })
}

/** The five best scores, or as many as exist. */
function expectBest(table: LoadedVectors, notes: VectorNotes, question: Question): void {
  const truth = notes.truth(question.query, question.accept)
  const hits = table.nearestChunks(question.query, 5, current(question.accept))
  expect(hits.length).toBe(Math.min(5, truth.length))
  for (const [rank, { key, ordinal, score }] of hits.entries()) {
    const same = truth.find((hit) => hit.key === key && hit.ordinal === ordinal)
    expect(score).toBeCloseTo(same?.score ?? Number.NaN, 4)
    expect(score).toBeCloseTo(truth[rank]?.score ?? Number.NaN, 4)
  }
}

interface Question {
  readonly query: Float32Array
  readonly accept: (key: number) => boolean
}

describe('the graph of a vector table', () => {
  const notes = new VectorNotes()
  const drawn = drawClusters(generator(5), DIMENSIONS, 900)
  for (let key = 0; key < 300; key++) notes.set(key, drawn.slice(3 * key, 3 * key + 3))
  const query = drawn[17] as Float32Array
  const answer = (table: LoadedVectors) => table.nearestChunks(query, 5, current()).map(({ key, ordinal }) => 3 * key + ordinal)
  const truth = notes.truth(query).slice(0, 5)
  const right = truth.map(({ key, ordinal }) => 3 * key + ordinal)

  test('auto: is used from a certain size on', async () => {
    let loads = 0
    const loadAddon = async () => {
      loads++
      return { addon: standInAddon }
    }
    const table = await notes.open({ kind: 'auto', autoFrom: 900 * DIMENSIONS, loadAddon }, [...notes.rows.keys()].slice(1))
    table.endLoading()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([loads, table.state]).toEqual([0, { index: 'exact' }])
    table.set(notes.coarse(0))
    table.endLoading()
    await untilBuilt(table)
    expect(loads).toBe(1)
    expect(answer(table)).toEqual(right)
    table.close()
  })

  test('without the addon, the scan answers and the state says why', async () => {
    const table = await notes.open({ kind: 'hnsw', loadAddon: () => loadHnswAddon('no-such-addon') })
    table.endLoading()
    await until(() => table.state.reason !== undefined)
    expect(table.state).toEqual({ index: 'exact', reason: expect.stringContaining('no-such-addon') })
    expect(answer(table)).toEqual(right)
    table.close()
  })

  test('while it is built, the scan answers and the state shows the progress', async () => {
    let go: () => void = () => {}
    const table = await notes.open({
      kind: 'hnsw',
      loadAddon: async () => ({ addon: standInAddon }),
      rest: () =>
        new Promise<void>((resolve) => {
          go = resolve
        }),
    })
    table.endLoading()
    await until(() => {
      go()
      if (table.state.index === 'exact') expect(answer(table)).toEqual(right)
      return table.state.index === 'hnsw' && table.state.reason === undefined
    })
    expect(answer(table)).toEqual(right)
    table.close()
  })

  test('keeps unchanged vectors of an edited note', async () => {
    const { addon, added } = countingAddon(standInAddon)
    const table = await notes.open({ kind: 'hnsw', loadAddon: async () => ({ addon }) })
    table.endLoading()
    await untilBuilt(table)
    expect(added()).toBe(900)
    const other = new VectorNotes()
    const [first, second, third] = drawn as [Float32Array, Float32Array, Float32Array]
    table.set(other.set(0, [second, drawUnitVector(generator(6), DIMENSIONS), first]))
    expect(table.state.reason).toBe('The graph is being built: 898 of 900 vectors done.')
    table.set(other.set(0, [first, second, third]))
    table.endLoading()
    await untilBuilt(table)
    expect(added()).toBeLessThanOrEqual(902)
    expect(answer(table)).toEqual(right)
    table.close()
  })

  test('reports a failing addon, and the scan answers', async () => {
    class Failing extends standInAddon.HierarchicalNSW {
      override addPoint(vector: readonly number[], label: number): void {
        if (label === 100) throw new Error('no memory')
        super.addPoint(vector, label)
      }
    }
    const table = await notes.open({ kind: 'hnsw', loadAddon: async () => ({ addon: { HierarchicalNSW: Failing } }) })
    table.endLoading()
    await until(() => table.state.reason?.includes('no memory') ?? false)
    expect(table.state.index).toBe('exact')
    expect(answer(table)).toEqual(right)
    table.endLoading()
    table.close()
  })

  test('damage it finds is thrown at the next load', async () => {
    const { DamagedIndex } = await import('../../../../src/store/embedded/sqlite.ts')
    const damaged = new VectorNotes()
    for (const [key, row] of notes.rows) damaged.rows.set(key, row)
    const table = await damaged.open({ kind: 'hnsw', loadAddon: async () => ({ addon: standInAddon }) })
    damaged.rows.get = () => {
      throw new DamagedIndex('a row differs from what was written')
    }
    table.endLoading()
    await expect(
      until(() => {
        table.endLoading()
        return false
      }),
    ).rejects.toThrow(DamagedIndex)
    table.close()
  })

  test('builds nothing after closing', async () => {
    const { addon, added } = countingAddon(standInAddon)
    const table = await notes.open({ kind: 'hnsw', loadAddon: async () => ({ addon }), rest: () => Promise.resolve() })
    table.endLoading()
    await Promise.resolve()
    table.close()
    const before = added()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(added()).toBe(before)
  })
})
