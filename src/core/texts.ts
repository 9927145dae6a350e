import type { VaultPath } from './ids.ts'
import type { NoteText } from './store.ts'

/** The texts of a vault's notes and canvases as its files have them now. */
export interface Texts {
  /**
   * `undefined` when the file is gone or may not be read; perhaps the same object as last time.
   * @throws RouxError `TIMEOUT` when the file does not answer.
   */
  read(path: VaultPath): Promise<NoteText | undefined>
}
