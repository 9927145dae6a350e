import type { Readable, Writable } from 'node:stream'

/** Passed from the relay to the main program, which is loaded in the same process. */
interface HandOver {
  /** Why this process works without the shared server. */
  alone?: string
  /** The streams to the client, if the relay has them. */
  streams?: { readonly stdin: Readable; readonly stdout: Writable; finish(code: number): void }
}

const KEY = Symbol.for('roux.hand-over')
const common = globalThis as { [KEY]?: HandOver }
common[KEY] ??= {}

/** The relay and the program are separate scripts, so only the global object is common to both. */
export const handOver: HandOver = common[KEY]
