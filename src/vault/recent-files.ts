import type { VaultPath } from '../core/ids.ts'
import type { FileStat, Vault } from '../core/vault.ts'

/** Bytes kept at the most. */
const ROOM = 8 << 20
/** A file that changed so shortly before it was read could change again and look the same (ms). */
const RACY = 40

interface Kept {
  readonly stat: FileStat
  readonly bytes: Uint8Array
}

/**
 * Reads files of a vault, and keeps those read last as long as their stat stays the same: hubs are read again and again, for the
 * sentences that link. The same bytes are the same object.
 */
export class RecentFiles {
  readonly #vault: Vault
  readonly #kept = new Map<string, Kept>()
  #size = 0

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** @returns undefined when the file is gone or may not be read. */
  read(path: VaultPath): Uint8Array | undefined {
    const stat = this.#vault.stat(path)?.stat
    const kept = this.#kept.get(path)
    if (kept !== undefined) this.#drop(path, kept)
    const isSame = stat !== undefined && kept !== undefined && sameStat(stat, kept.stat)
    const bytes = isSame ? kept.bytes : this.#vault.read(path)
    if (bytes === undefined || bytes === 'unreadable') return undefined
    if (stat !== undefined && stat.size === bytes.length && Date.now() - Math.max(stat.mtime, stat.ctime) > RACY) {
      this.#keep(path, { stat, bytes })
    }
    return bytes
  }

  #keep(path: string, kept: Kept): void {
    this.#kept.set(path, kept)
    this.#size += kept.bytes.length
    for (const [oldest, other] of this.#kept) {
      if (this.#size <= ROOM) break
      this.#drop(oldest, other)
    }
  }

  #drop(path: string, { bytes }: Kept): void {
    this.#kept.delete(path)
    this.#size -= bytes.length
  }
}

function sameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}
