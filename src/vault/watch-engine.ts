/** Receives events of a watch engine; paths are relative to the vault. */
export interface WatchSink {
  file(path: string): void
  /** A folder came, went or was replaced. */
  folder(path: string): void
  /** The vault's own filters or markers changed. */
  all(): void
  /** A `.gitignore` changed or events were lost: what is watched must be worked out again. */
  stale(): void
  /** The root is not where it was. */
  lost(): void
  /** No more watches can be had. */
  exhausted(error: unknown): void
}

/** Something that watches a vault, from the moment it is made. */
export interface WatchEngine {
  /** Resolves when every later change is reported; never rejects. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

export const CONFIG_FOLDER = '.obsidian'
const FILTER_FILE = 'app.json'
// Folders that decide the mode `auto`; their change affects every note.
const MARKERS = new Set([CONFIG_FOLDER, '.foam', '.vscode', 'logseq'])

/** Tells what concerns the rules of the vault rather than its notes; `true` when the event needs no more attention. */
export function tellRuleChange(folder: string, name: string, sink: WatchSink, gitignore: boolean): boolean {
  if (folder === CONFIG_FOLDER) {
    // The application writes its workspace file there all the time.
    if (name === FILTER_FILE) sink.all()
    return true
  }
  if (folder === '' && MARKERS.has(name)) sink.all()
  if (gitignore && name === '.gitignore') sink.stale()
  return false
}

/** Whether an error means that the system's limit of watches is reached. */
export function isExhaustion(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE'
}
