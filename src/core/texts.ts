import type { VaultPath } from './ids.ts'
import type { FileVersion, NoteText } from './store.ts'

export type { NoteText }

/** `'unread'`: the file did not respond in time · `undefined`: the file does not exist, is not readable, or has no text. */
export type ReadText = NoteText | 'unread' | undefined

/** Reads the text of notes and canvases from the folder, or from an engine if the server has no folder. */
export interface Texts {
  /**
   * Returns the text of each file in order. Check `hash` to see whether it is the requested version. A result can be the same object
   * as in an earlier call.
   */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}

export interface VaultFiles {
  /**
   * Reads a range of a file, truncated at the end of the file, and the size of the whole file. Returns `undefined` if the file does
   * not exist, is outside the vault or cannot be read. @throws RouxError `TIMEOUT` if the file does not respond
   */
  read(path: VaultPath, stretch: { readonly offset: number; readonly length: number }): Promise<FileBytes | undefined>
}

export interface FileBytes {
  readonly bytes: Uint8Array
  readonly size: number
}
