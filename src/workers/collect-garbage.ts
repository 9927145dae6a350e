import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In a larger heap, collection would delay a call for too long. */
const MOST_BYTES = 128 << 20

/**
 * Returns unused memory of this thread to the system, which takes tens of milliseconds. Call it when idle. V8 does this only after
 * minutes, and not for everything. Heaps larger than `most` bytes are left to V8.
 */
export function collectGarbage(most = MOST_BYTES): void {
  if (getHeapStatistics().used_heap_size > most) return
  // Node exposes this only with a flag, which would have to be in the client's settings.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
