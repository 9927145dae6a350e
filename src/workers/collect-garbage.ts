import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In a larger heap it would take longer than a call that comes just then should wait. */
const MOST_BYTES = 128 << 20

/**
 * Returns unused memory of this thread to the system, in some tens of milliseconds; call it when nobody waits. V8 does
 * this only after minutes and not for everything. A heap above `most` bytes is left to V8.
 */
export function collectGarbage(most = MOST_BYTES): void {
  if (getHeapStatistics().used_heap_size > most) return
  // Node offers this to those alone who start it with a flag, which a client's settings would have to name.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
