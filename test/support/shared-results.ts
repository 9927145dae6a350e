import type { SharedResult, SharedResults } from '../../src/core/store.ts'

/** Results shared by users of one store, in memory. */
export function memoryResults(): SharedResults {
  const kept = new Map<string, SharedResult>()
  return {
    async newer(name, than) {
      const found = kept.get(name)
      return found !== undefined && found.generation > than ? found : undefined
    },
    async keep(name, { generation, bytes }) {
      if (generation >= (kept.get(name)?.generation ?? 0)) kept.set(name, { generation, bytes: bytes.slice() })
    },
  }
}
