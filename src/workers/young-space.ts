import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Two semi-spaces of 4 MB, as the workers have them. */
const ENOUGH = 8 << 20
/** How often its size is looked at while it grows, ms. */
const LOOK_EVERY = 20

/**
 * Bounds the main thread's young generation: V8 would take 32 MB and never return it. Only for a process of our own,
 * because the flag applies to all its threads.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const bound = (): void => {
    // A process started by others cannot set this before it starts; V8 reads the limit each time it grows.
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1')
  }
  // V8 takes a factor below two back whenever it makes a heap for another thread.
  process.on('worker', (worker) => void worker.once('online', bound))
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
    if (size < ENOUGH) return
    clearInterval(timer)
    isBound = true
    bound()
  }, LOOK_EVERY)
  timer.unref()
}
