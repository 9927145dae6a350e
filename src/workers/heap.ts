import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const MB = 1 << 20

/**
 * Returns the heap limit of a worker in megabytes. With a higher limit, V8 collects less: obsidian-hub would peak at 300 MB
 * instead of 248 MB. 100,000 notes need less than half of the limit.
 */
export function heapLimit(): number {
  return Math.min(DEFAULT_LIMIT_MB, ownLimit())
}

const DEFAULT_LIMIT_MB = 2_000

/** @returns the doubled limit in megabytes, or `undefined` if it exceeds half of the available memory */
export function largerHeap(limit: number): number | undefined {
  // A limit below the default was set by the user or by V8.
  const isBounded = ownLimit() < DEFAULT_LIMIT_MB
  return isBounded || limit * 2 > process.availableMemory() / 2 / MB ? undefined : limit * 2
}

function ownLimit(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / MB)
}

/** The share of the limit in use after garbage collection. If it is higher, the next slice of files may not fit. */
const FULL_SHARE = 0.6

/** The heap growth between collections, as a share of the limit. Collecting a large heap takes seconds. */
const GROWTH = 0.1

export interface HeapSize {
  readonly used: number
  readonly limit: number
}

export function heapCheck(measure: () => HeapSize, collect: () => void): () => boolean {
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

/** Collects garbage if the heap seems full. */
export const isHeapShort = heapCheck(
  () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    return { used: used_heap_size, limit: heap_size_limit }
  },
  () => collectGarbage(Number.POSITIVE_INFINITY),
)

/** The maximum heap size in bytes. Collecting a larger heap would delay calls too long. */
const MAX_BYTES = 128 << 20

/**
 * Returns unused memory to the system. The call takes tens of milliseconds, so the process should be idle. V8 itself waits for
 * minutes and returns less. Above `maxBytes`, nothing happens.
 */
export function collectGarbage(maxBytes = MAX_BYTES): void {
  if (getHeapStatistics().used_heap_size > maxBytes) return
  // The flag is set here, because Node has no other access to `gc` without a command-line flag.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
