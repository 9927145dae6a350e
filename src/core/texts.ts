import type { VaultPath } from './ids.ts'
import type { FileVersion, NoteText } from './store.ts'

export type { NoteText }

/** `'unread'`: the file does not answer · `undefined`: it is gone, may not be read, or has no text. */
export type ReadText = NoteText | 'unread' | undefined

/** The texts of notes and canvases: from the folder as it is now, or from an engine where a server has no folder. */
export interface Texts {
  /** In order; whether a text is the version that was asked for, its `hash` says. A text may be the same object as last time. */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}

/** The bytes of the vault's files of any kind. */
export interface VaultFiles {
  /**
   * A stretch of a file, shorter where the file ends, and the size of the whole; `undefined` when it is gone, outside of the vault or
   * may not be read. @throws RouxError `TIMEOUT` when the file does not respond.
   */
  read(path: VaultPath, stretch: { readonly offset: number; readonly length: number }): Promise<FileBytes | undefined>
}

export interface FileBytes {
  readonly bytes: Uint8Array
  /** Bytes of the whole file. */
  readonly size: number
}
