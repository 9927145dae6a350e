import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Heaps larger than this are not collected, because it would delay a call for too long. */
const MAX_BYTES = 128 << 20

/**
 * Returns this thread's unused memory to the system, which takes tens of milliseconds. Call it when idle: V8 itself waits for
 * minutes and does not return everything. Heaps larger than `maxBytes` bytes are left to V8.
 */
export function collectGarbage(maxBytes = MAX_BYTES): void {
  if (getHeapStatistics().used_heap_size > maxBytes) return
  // Node exposes `gc` only with a flag, which users would otherwise have to add to their client's settings.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
