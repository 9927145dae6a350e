import type { Readable, Writable } from 'node:stream'

/** Passed from the relay to the main program, which is loaded in the same process. */
interface HandOver {
  /** Why this process works without the shared server. */
  alone?: string
  /** The streams to the client. Omitted if the relay has not taken over stdin and stdout. */
  streams?: { readonly stdin: Readable; readonly stdout: Writable; finish(code: number): void }
}

const KEY = Symbol.for('roux.hand-over')
const common = globalThis as { [KEY]?: HandOver }
common[KEY] ??= {}

/** The relay and the program are separate scripts that share only the global object. */
export const handOver: HandOver = common[KEY]
