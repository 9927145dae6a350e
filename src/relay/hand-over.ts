import type { Readable, Writable } from 'node:stream'

/** Passed from the relay to the main program, which is loaded in the same process. */
export interface HandOver {
  /** Why this process works without the shared server. */
  readonly alone?: string
  /** The streams to the client, if the relay has them. */
  readonly streams?: { readonly stdin: Readable; readonly stdout: Writable; finish(code: number): void }
}

// The relay and the program are separate scripts, so only the global object is common to both.
const KEY = Symbol.for('roux.hand-over')

export function handOver(given: HandOver): void {
  Object.assign(globalThis, { [KEY]: given })
}

export function handedOver(): HandOver {
  return (globalThis as { [KEY]?: HandOver })[KEY] ?? {}
}
