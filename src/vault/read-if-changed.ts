import type { VaultPath } from '../core/ids.ts'
import type { FileStat, Vault } from '../core/vault.ts'

/** A file that changed so shortly before it was read could change again and look the same (ms). */
const RACY = 40

export interface FreshBytes {
  readonly bytes: Uint8Array
  /** The bytes are valid as long as the file has this stat; absent if unknown. */
  readonly stat?: FileStat
}

/** The bytes of a file, unless it is `'same'` as when it had a known stat; `undefined` when it is gone or may not be read. */
export function readIfChanged(vault: Vault, path: VaultPath, known?: FileStat): FreshBytes | 'same' | undefined {
  const stat = vault.stat(path)?.stat
  if (stat !== undefined && known !== undefined && isSameStat(stat, known)) return 'same'
  const bytes = vault.read(path)
  if (bytes === undefined || bytes === 'unreadable') return undefined
  const isSettled = stat !== undefined && stat.size === bytes.length && Date.now() - Math.max(stat.mtime, stat.ctime) > RACY
  return { bytes, ...(isSettled ? { stat } : undefined) }
}

function isSameStat(a: FileStat, b: FileStat): boolean {
  return a.mtime === b.mtime && a.ctime === b.ctime && a.size === b.size
}
