import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MB = 1 << 20

/**
 * Returns the heap limit of a worker in megabytes. V8 lets a heap grow more freely if its limit is higher. With this limit,
 * indexing and embedding obsidian-hub peaks at 248 MB instead of 300 MB and takes no longer, and 100,000 notes use less than half
 * of it. On a machine with little memory, or with `--max-old-space-size`, workers get the main thread's limit.
 */
export function heapLimit(): number {
  return Math.min(DEFAULT_LIMIT_MB, ownLimit())
}

const DEFAULT_LIMIT_MB = 2_000

/** Returns twice the limit, in megabytes, or `undefined` if that is more than half of the machine's free memory. */
export function largerHeap(limit: number): number | undefined {
  // V8 on a small machine, or the user, has chosen a lower limit.
  const isBounded = ownLimit() < DEFAULT_LIMIT_MB
  return isBounded || limit * 2 > process.availableMemory() / 2 / MB ? undefined : limit * 2
}

function ownLimit(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / MB)
}

/**
 * If more than this share of the limit is still in use after garbage collection, the next slice of files may exceed the limit.
 */
const FULL_SHARE = 0.6

/**
 * Collect garbage again only after the heap has grown by this share of the limit, because collecting a large heap takes seconds.
 */
const GROWTH = 0.1

/** A heap's size and limit in bytes. */
export interface HeapSize {
  readonly used: number
  readonly limit: number
}

/** Returns a function that checks whether a heap is nearly full. Garbage does not count. */
export function heapCheck(measure: () => HeapSize, collect: () => void): () => boolean {
  /** Bytes in use after the last collection. */
  let live = 0
  return () => {
    const { used, limit } = measure()
    const full = FULL_SHARE * limit
    if (used <= full || (live <= full && used <= live + GROWTH * limit)) return false
    collect()
    live = measure().used
    return live > full
  }
}

/** Checks whether the current thread's heap is nearly full. Collects garbage if it seems so. */
export const isHeapShort = heapCheck(
  () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    return { used: used_heap_size, limit: heap_size_limit }
  },
  () => collectGarbage(Number.POSITIVE_INFINITY),
)

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
