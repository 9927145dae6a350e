import manifest from '../../package.json' with { type: 'json' }
import type { Places } from '../install/clients.ts'
import type { Tool } from '../mcp/definition/define-tool.ts'

/** The exit code that shells report after Ctrl+C. */
const INTERRUPTED = 130

export const VERSION: string = manifest.version

/** An output stream; `isTTY` and `columns` exist only for a terminal. */
export type Out = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Everything the command line uses from its process. Tests replace it. */
export interface Host extends Places {
  readonly cwd: string
  /** The running Node and script, as absolute paths. */
  readonly program: { readonly node: string; readonly script: string }
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Out
  readonly stderr: Out
  /** Loads the adapters when the first command needs them. */
  compose(): Promise<Composition>
  /** True if a folder contains a home folder or a disk, and so is probably not a vault. Works without the adapters. */
  isTooWide(folder: string): Promise<boolean>
  /** Every tool, including those that are switched off. */
  tools(): Promise<readonly Tool[]>
  /** Calls the listener on the first SIGINT or SIGTERM. */
  onSignal(listener: () => void): void
}

/** The part of `compose/` that commands use. */
export type Composition = Omit<typeof import('../compose/index.ts'), 'indexFile'>

/**
 * Runs `work` until it ends or Ctrl+C or SIGTERM aborts its signal. An error after an abort is not a failure; `told` is
 * called instead.
 * @returns the exit code
 */
export async function interruptible(
  host: Pick<Host, 'onSignal'>,
  work: (signal: AbortSignal) => Promise<number>,
  told: () => void = () => {},
): Promise<number> {
  const stopped = new AbortController()
  host.onSignal(() => stopped.abort(new Error('stopped')))
  try {
    return await work(stopped.signal)
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    told()
    return INTERRUPTED
  }
}

/** An invalid command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** One sentence about how to fix it. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
