import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Larger heaps are not collected, because collecting them would delay calls too long. */
const MAX_BYTES = 128 << 20

/**
 * Frees this thread's unused memory, which takes tens of milliseconds. Call it when idle: V8 itself waits for minutes and returns
 * only part of the memory to the system. Does nothing if the heap is larger than `maxBytes` bytes.
 */
export function collectGarbage(maxBytes = MAX_BYTES): void {
  if (getHeapStatistics().used_heap_size > maxBytes) return
  // Node exposes `gc` only with a flag, and users should not have to set it in their client.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
