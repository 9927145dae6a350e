import type { VaultPath } from './ids.ts'
import type { FileVersion, NoteText } from './store.ts'

export type { NoteText }

/** `'unread'`: the file did not respond in time · `undefined`: the file is gone, not readable, or has no text. */
export type ReadText = NoteText | 'unread' | undefined

/** Reads the texts of notes and canvases from the folder, or from an engine if the server has no folder. */
export interface Texts {
  /**
   * Returns texts in order. Check `hash` to see whether text is the requested version. Text can be the same object as in an
   * earlier call.
   */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}

/** Reads the bytes of any file in the vault. */
export interface VaultFiles {
  /**
   * A stretch of a file, shorter where the file ends, and the size of the whole; `undefined` when it is gone, outside of the vault or
   * may not be read. @throws RouxError `TIMEOUT` when the file does not respond.
   */
  read(path: VaultPath, stretch: { readonly offset: number; readonly length: number }): Promise<FileBytes | undefined>
}

export interface FileBytes {
  readonly bytes: Uint8Array
  /** Size of the whole file in bytes. */
  readonly size: number
}
