import manifest from '../../package.json' with { type: 'json' }
import type { GraphCore } from '../app/graph-core.ts'
import type { AiDesk, Diagnosis, FeederLease, History, OpenOptions, SharedParts } from '../compose/index.ts'
import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
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
export interface Composition {
  openCore(settings: Settings, options: OpenOptions): Promise<GraphCore>
  openFeederLease(settings: Settings, options: Pick<OpenOptions, 'name' | 'storePassword'>): Promise<FeederLease>
  removeFed(settings: Settings, options: Required<Pick<OpenOptions, 'name'>> & Pick<OpenOptions, 'storePassword'>): Promise<void>
  /** Creates what several vaults of one process share. */
  shareParts(): SharedParts
  /** Asks the adapters for facts that only they know. Changes nothing on disk. */
  diagnose(settings: Settings, options: Pick<OpenOptions, 'apiKey' | 'name' | 'stored' | 'storePassword'>): Promise<Diagnosis>
  /** Opens consent and the ledger of model usage. */
  openAiDesk(settings: Settings, key?: AiKey): Promise<AiDesk>
  /** Reads the size of the vault's history. */
  readHistory(settings: Settings): History
  /** Removes the vault's history and returns what was removed. */
  forgetHistory(settings: Settings): History
  /** Size of the vault's indexes on disk, in bytes. */
  measureIndexes(settings: Settings): { readonly index: number; readonly search: number }
}

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
