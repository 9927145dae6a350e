import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives memory that this thread does not need any more back to the system, in some tens of milliseconds: for a moment when no one waits.
 * V8 does so by itself only after minutes, and not of everything.
 */
export function collectGarbage(): void {
  // Node offers this to those alone who start it with a flag, which a client's settings would have to name.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
