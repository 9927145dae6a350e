import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Two semi-spaces of 4 MB, as the workers have them. */
const ENOUGH = 8 << 20
/** How often its size is looked at while it grows, ms. */
const LOOK_EVERY = 20

/**
 * Keeps the room for new objects of the main thread from growing further once it is large enough: V8 would take 32 MB, and give none of
 * them back. For a process that is the program's own: the flag is one of all its threads.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const bound = (): void => {
    // There is no way to say so before a process starts that is started by others; how far it may grow is read each time it grows.
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
