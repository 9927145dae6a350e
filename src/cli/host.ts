import manifest from '../../package.json' with { type: 'json' }
import type { GraphCore } from '../app/graph-core.ts'
import type { AiDesk, Diagnosis, FeederLease, History, OpenOptions, SharedParts } from '../compose/index.ts'
import type { AiKey } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { Places } from '../install/client.ts'
import type { Tool } from '../mcp/definition/define-tool.ts'

/** What shells report of a program that Ctrl+C ended. */
const INTERRUPTED = 130

export const VERSION: string = manifest.version

/** A stream to write to; the terminal's facts are absent elsewhere. */
export type Out = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** What the command line needs of the world; commands see nothing else, so that tests can be one. */
export interface Host extends Places {
  readonly cwd: string
  /** What runs: the Node, and the script that it was given, both absolute. */
  readonly program: { readonly node: string; readonly script: string }
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Out
  readonly stderr: Out
  /** The adapters, loaded when the first command needs them. */
  compose(): Promise<Composition>
  /** Whether a folder is so wide that it is hardly meant as a vault; known without the adapters. */
  isTooWide(folder: string): Promise<boolean>
  /** Every tool, also those that are switched off. */
  tools(): Promise<readonly Tool[]>
  /** Tells of the first SIGINT or SIGTERM. */
  onSignal(listener: () => void): void
}

/** The part of `compose/` that commands use. */
export interface Composition {
  openCore(settings: Settings, options: OpenOptions): Promise<GraphCore>
  openFeederLease(settings: Settings, options: Pick<OpenOptions, 'name' | 'storePassword'>): Promise<FeederLease>
  removeFed(settings: Settings, options: Required<Pick<OpenOptions, 'name'>> & Pick<OpenOptions, 'storePassword'>): Promise<void>
  /** What several vaults of one process share. */
  shareParts(): SharedParts
  /** What only the adapters can tell a doctor. Changes nothing on disk. */
  diagnose(settings: Settings, options: Pick<OpenOptions, 'apiKey' | 'name' | 'stored' | 'storePassword'>): Promise<Diagnosis>
  /** Consent, and what models were asked. */
  openAiDesk(settings: Settings, key?: AiKey): Promise<AiDesk>
  /** What is remembered of the vault's past. */
  readHistory(settings: Settings): History
  /** Forgets it. Returns what was forgotten. */
  forgetHistory(settings: Settings): History
  /** Bytes on disk of the vault's indexes. */
  measureIndexes(settings: Settings): { readonly index: number; readonly search: number }
}

/**
 * Runs what Ctrl+C or SIGTERM stops: its signal is aborted then, it ends what it began, and what failed for that is no failure. `told` is called
 * then.
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

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** What to do about it, one sentence. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
