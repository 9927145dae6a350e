import type { VaultPath } from '../../core/ids.ts'
import type { NoteText } from '../../core/texts.ts'
import type { FileStat } from '../../core/vault.ts'

/** Default limit for cached bytes. */
const ROOM = 8 << 20

/** A text, and the stat of its file for as long as it is that file's text. */
export interface KeptText {
  readonly text: NoteText
  readonly stat: FileStat
}

/** The texts read last: hubs are read again and again, for the sentences that link. */
export class RecentTexts {
  readonly #kept = new Map<VaultPath, KeptText>()
  readonly #room: number
  #size = 0

  constructor(room = ROOM) {
    this.#room = room
  }

  get(path: VaultPath): KeptText | undefined {
    return this.#kept.get(path)
  }

  /** Replaces the cached text for the path and evicts the least recently used texts. */
  keep(path: VaultPath, kept: KeptText): void {
    this.drop(path)
    this.#kept.set(path, kept)
    this.#size += kept.stat.size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#room) break
      this.drop(oldest)
    }
  }

  drop(path: VaultPath): void {
    const kept = this.#kept.get(path)
    if (kept === undefined) return
    this.#kept.delete(path)
    this.#size -= kept.stat.size
  }
}
