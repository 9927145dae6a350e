import type { FileVersion } from './store.ts'

/** A note's text; everything here is of this text, whatever the index says. */
export interface NoteText {
  /** Decoded as UTF-8, invalid bytes replaced. */
  readonly text: string
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  /** SHA-256 of the file's bytes, hex. */
  readonly hash: string
}

/** `'unread'`: the file does not answer · `undefined`: it is gone, may not be read, or has no text. */
export type ReadText = NoteText | 'unread' | undefined

/** The texts of notes and canvases: from the folder as it is now, or from an engine where a server has no folder. */
export interface Texts {
  /** In order; whether a text is the version that was asked for, its `hash` says. A text may be the same object as last time. */
  read(versions: readonly FileVersion[], signal?: AbortSignal): Promise<readonly ReadText[]>
}
