import type { VaultPath } from './ids.ts'
import type { FileVersion, NoteText } from './store.ts'

export type { NoteText }

/**
 * The text of a note. `'unread'` means that the file did not respond in time, `undefined` that there is no such file, or that it
 * is unreadable or not text.
 */
export type ReadText = NoteText | 'unread' | undefined

/** Text of notes and canvases, from the folder or from an engine that stores it. */
export interface Texts {
  /**
   * Returns texts in order. Callers must check `hash`, because the text may be of another version. Results may be shared between
   * calls.
   */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}

export interface VaultFiles {
  /**
   * Reads a range, which is truncated at the end of the file. `size` is the size of the whole file.
   * @returns `undefined` for a path that is missing, unreadable or outside the vault
   * @throws RouxError `TIMEOUT` if the file does not respond
   */
  read(path: VaultPath, stretch: { readonly offset: number; readonly length: number }): Promise<FileBytes | undefined>
}

export interface FileBytes {
  readonly bytes: Uint8Array
  readonly size: number
}
