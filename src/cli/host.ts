import manifest from '../../package.json' with { type: 'json' }
import type { LoadedVaults } from '../config/load-vaults.ts'
import type { Places } from '../install/clients.ts'
import type { Tool } from '../mcp/definition/define-tool.ts'

/** Exit code that shells report after Ctrl+C (128 + SIGINT). */
const INTERRUPTED = 130

export const VERSION: string = manifest.version

/** An output stream. `isTTY` and `columns` are only set for terminals. */
export type Out = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** The parts of its process that the command line uses. Replaced in tests. */
export interface Host extends Places {
  readonly cwd: string
  /** Absolute paths of the running Node binary and script. */
  readonly program: { readonly node: string; readonly script: string }
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Out
  readonly stderr: Out
  /** Loads the adapters. Called when the first command needs them. */
  compose(): Promise<Composition>
  /**
   * Checks whether a folder contains a home folder or a whole disk and is therefore probably not a vault. Does not load the
   * adapters.
   */
  isTooWide(folder: string): Promise<boolean>
  /** Returns all tools, including disabled ones. */
  tools(): Promise<readonly Tool[]>
  /** Calls the listener on the first SIGINT or SIGTERM. */
  onSignal(listener: () => void): void
  /** Vaults of the command line, with their settings, if already loaded. */
  readonly loaded?: LoadedVaults
  /** How to reach the shared server. Undefined in the shared server itself. */
  readonly sharing?: Sharing
}

/** Options of a process that can use the shared server. */
export interface Sharing {
  /** The program's main script, which identifies the build. */
  readonly script: string
  /** The reason why this process must not use the shared server, if known. */
  readonly alone?: string
  /** Prepares this process to serve a vault without the shared server. */
  bootIndexer(): void
}

/** Functions from `compose/` that commands use. */
export type Composition = Omit<typeof import('../compose/index.ts'), 'indexFile'>

/**
 * Runs `work` with a signal that Ctrl+C or SIGTERM aborts. If `work` then throws, calls `onNotice` and ignores the error.
 * @returns the exit code
 */
export async function interruptible(
  host: Pick<Host, 'onSignal'>,
  work: (signal: AbortSignal) => Promise<number>,
  onNotice: () => void = () => {},
): Promise<number> {
  const stopped = new AbortController()
  host.onSignal(() => stopped.abort(new Error('stopped')))
  try {
    return await work(stopped.signal)
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    onNotice()
    return INTERRUPTED
  }
}

/** Thrown for an invalid command line. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** One sentence that explains how to fix the problem. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
