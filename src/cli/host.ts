import manifest from '../../package.json' with { type: 'json' }
import type { LoadedVaults } from '../config/load-vaults.ts'
import type { Places } from '../install/clients.ts'
import type { Tool } from '../mcp/definition/define-tool.ts'

/** The exit code that shells report after Ctrl+C (128 + SIGINT). */
const INTERRUPTED = 130

export const VERSION: string = manifest.version

export type Out = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

export interface Host extends Places {
  readonly cwd: string
  readonly program: { readonly node: string; readonly script: string }
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Out
  readonly stderr: Out
  compose(): Promise<Composition>
  /** Returns true for a folder that is probably not a vault, such as the home folder. */
  isUnlikelyVault(folder: string): Promise<boolean>
  tools(): Promise<readonly Tool[]>
  /** Adds a listener for the first SIGINT or SIGTERM. */
  onSignal(listener: () => void): void
  readonly loaded?: LoadedVaults
  /** The shared server. This member is undefined in the shared server itself. */
  readonly sharing?: Sharing
}

export interface Sharing {
  /** The path of the main script, which identifies the build. */
  readonly script: string
  /** The reason for not using the shared server. */
  readonly unsharedReason?: string
  /** Starts the indexing worker early, because this process serves the vaults itself. */
  bootIndexer(): void
}

export type Composition = Omit<typeof import('../compose/index.ts'), 'indexFile'>

/**
 * Runs `work` with a signal that Ctrl+C and SIGTERM abort. If `work` then fails, `onNotice` is called and the error is ignored.
 * @returns the exit code of `work`, or that of an interruption
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

export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
