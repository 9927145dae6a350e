import type { FileVersion } from './store.ts'

/** A note's text, and what belongs to exactly these bytes. */
export interface NoteText {
  /** Decoded as UTF-8, invalid bytes replaced. */
  readonly text: string
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  /** SHA-256 of the file's bytes, hex. */
  readonly hash: string
}

/** The text of notes and canvases: from the folder as it is now, or from an engine where a server has no folder. */
export interface Texts {
  /** In order; `undefined` for what is gone, cannot be read, or has no text. Whether a text is the version asked for, its `hash` tells. */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly (NoteText | undefined)[]>
}
