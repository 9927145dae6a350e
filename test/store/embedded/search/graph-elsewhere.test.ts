import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { VectorGraphBuilder, VectorGraphs } from '../../../../src/core/vectors.ts'
import type { LoadedVectors } from '../../../../src/store/embedded/search/loaded-vectors.ts'
import { type HnswAddon, HnswGraph, loadHnswAddon } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { drawClusters, generator } from '../vectors/draw-vectors.ts'
import { countingAddon } from '../vectors/stand-in-addon.ts'
import { current, DIMENSIONS, until, untilBuilt, VectorNotes } from './vector-notes.ts'

const { addon, reason } = await loadHnswAddon()

if (addon === undefined) test.skip(`building the graph in another thread: ${reason}`, () => undefined)
else testElsewhere(addon)

/** Stands for another thread; accepts vectors only while allowed to. */
class Elsewhere implements VectorGraphs {
  readonly #addon: HnswAddon
  #waiting: (() => void)[] = []
  isStopped = false
  added = 0
  open = 0

  constructor(addon: HnswAddon) {
    this.#addon = addon
  }

  goOn(): void {
    this.isStopped = false
    for (const goOn of this.#waiting.splice(0)) goOn()
  }

  async begin(dimensions: number): Promise<VectorGraphBuilder> {
    const graph = HnswGraph.create(this.#addon, dimensions)
    this.open++
    return {
      add: async (labels, vectors) => {
        if (this.isStopped) await new Promise<void>((resolve) => this.#waiting.push(resolve))
        for (const [at, label] of labels.entries()) graph.set(label, vectors.slice(at * dimensions, (at + 1) * dimensions))
        this.added += labels.length
      },
      delete: async (labels) => {
        for (const label of labels) graph.delete(label)
      },
      write: async (path) => await graph.write(path),
      close: () => {
        this.open--
        graph.free()
      },
    }
  }
}

function testElsewhere(addon: HnswAddon): void {
  const drawn = drawClusters(generator(11), DIMENSIONS, 1_300)
  const someNotes = () => {
    const notes = new VectorNotes()
    for (let key = 0; key < 300; key++) notes.set(key, drawn.slice(3 * key, 3 * key + 3))
    return notes
  }
  const open = async (notes: VectorNotes, graphs: VectorGraphs, path?: string) => {
    const counting = countingAddon(addon)
    const loadAddon = async () => ({ addon: counting.addon })
    const table = await notes.open({ kind: 'hnsw', graphs, loadAddon, ...(path === undefined ? undefined : { path }) })
    table.endLoading()
    return { table, added: counting.added }
  }
  const expectTrue = (table: LoadedVectors, notes: VectorNotes) => {
    for (const query of drawn.slice(1_200, 1_230)) {
      const truth = notes.truth(query).slice(0, 10)
      const hits = table.nearestChunks(query, 10, current())
      const found = hits.filter(({ key, ordinal }) => truth.some((hit) => hit.key === key && hit.ordinal === ordinal))
      expect(found.length).toBeGreaterThanOrEqual(9)
    }
  }

  describe('a graph of many vectors', () => {
    test('is not built on this thread', async () => {
      const notes = someNotes()
      const elsewhere = new Elsewhere(addon)
      const { table, added } = await open(notes, elsewhere)
      await untilBuilt(table)
      expect([added(), elsewhere.added, elsewhere.open]).toEqual([0, 900, 0])
      expectTrue(table, notes)
      table.close()
    })

    test('is used only when finished; until then the scan answers', async () => {
      const notes = someNotes()
      const elsewhere = new Elsewhere(addon)
      elsewhere.isStopped = true
      const { table } = await open(notes, elsewhere)
      await until(() => elsewhere.open === 1)
      expect(table.state).toEqual({ index: 'exact', reason: 'The graph is being built: 0 of 900 vectors done.' })
      expectTrue(table, notes)
      elsewhere.goOn()
      await untilBuilt(table)
      table.close()
    })

    test('includes changes made while it was built', async () => {
      const notes = someNotes()
      const elsewhere = new Elsewhere(addon)
      elsewhere.isStopped = true
      const { table } = await open(notes, elsewhere)
      await until(() => elsewhere.open === 1)
      for (let key = 300; key < 390; key++) table.set(notes.set(key, drawn.slice(3 * key, 3 * key + 3)))
      for (let key = 0; key < 20; key++) {
        notes.rows.delete(key)
        table.delete(key)
      }
      table.endLoading()
      elsewhere.goOn()
      await untilBuilt(table)
      expectTrue(table, notes)
      table.close()
    })

    test('leaves no temporary file, nor any if the table is closed meanwhile', async () => {
      const folder = temporaryFolder()
      const notes = someNotes()
      const elsewhere = new Elsewhere(addon)
      elsewhere.isStopped = true
      const { table } = await open(notes, elsewhere, join(folder, 'search.db.hnsw-0'))
      await until(() => elsewhere.open === 1)
      table.close()
      elsewhere.goOn()
      await until(() => elsewhere.open === 0)
      expect(readdirSync(folder)).toEqual([])
    })

    test('that cannot be built gives a reason, and the scan answers', async () => {
      const notes = someNotes()
      const { table } = await open(notes, { begin: async () => Promise.reject(new Error('no addon there')) })
      await until(() => table.state.reason?.includes('no addon there') === true)
      expect(table.state.index).toBe('exact')
      expectTrue(table, notes)
      table.close()
    })
  })
}
