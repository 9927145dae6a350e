import type { VaultPath } from './ids.ts'
import type { FileVersion, NoteText } from './store.ts'

export type { NoteText }

/** `'unread'`: the file did not respond in time · `undefined`: no such file, or no text */
export type ReadText = NoteText | 'unread' | undefined

/** Text of notes and canvases, from the folder or from an engine that stores it. */
export interface Texts {
  /** In order. Check `hash`, because the text may be of another version. Results may be shared between calls. */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}

export interface VaultFiles {
  read(path: VaultPath, stretch: { readonly offset: number; readonly length: number }): Promise<FileBytes | undefined>
}

export interface FileBytes {
  readonly bytes: Uint8Array
  readonly size: number
}
