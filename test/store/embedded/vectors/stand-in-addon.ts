import type { HnswAddon, NativeGraph } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'

/** The addon's interface over a plain map, for tests without a real graph: it finds everything and saves nothing. */
export const standInAddon: HnswAddon = {
  HierarchicalNSW: class implements NativeGraph {
    readonly #vectors = new Map<number, readonly number[]>()
    readonly #deleted = new Set<number>()

    initIndex(): void {
      this.#vectors.clear()
      this.#deleted.clear()
    }

    resizeIndex(): void {}

    setEf(): void {}

    addPoint(vector: readonly number[], label: number): void {
      this.#vectors.set(label, vector)
      this.#deleted.delete(label)
    }

    markDelete(label: number): void {
      this.#deleted.add(label)
    }

    searchKnn(query: readonly number[], count: number) {
      const dot = (vector: readonly number[]) => vector.reduce((sum, value, i) => sum + value * (query[i] as number), 0)
      const live = [...this.#vectors].filter(([label]) => !this.#deleted.has(label))
      const nearest = live.sort((a, b) => dot(b[1]) - dot(a[1])).slice(0, count)
      return { neighbors: nearest.map(([label]) => label) }
    }

    getIdsList(): readonly number[] {
      return [...this.#vectors.keys()]
    }

    async readIndex(): Promise<boolean> {
      throw new Error('a stand-in reads nothing')
    }

    async writeIndex(): Promise<boolean> {
      throw new Error('a stand-in writes nothing')
    }
  },
}

/** The addon, and the number of vectors added to its graphs. */
export function countingAddon(addon: HnswAddon): { readonly addon: HnswAddon; readonly added: () => number } {
  let added = 0
  const Native = addon.HierarchicalNSW
  return {
    added: () => added,
    addon: {
      HierarchicalNSW: class extends Native {
        override addPoint(vector: readonly number[], label: number): void {
          added++
          super.addPoint(vector, label)
        }
      },
    },
  }
}
