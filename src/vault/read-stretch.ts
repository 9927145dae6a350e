import type { VaultPath } from '../core/ids.ts'
import type { ByteRange, Vault } from '../core/vault.ts'

/** A stretch of a file, shorter where the file ends, and its whole size; `undefined` when it is gone or may not be read. */
export function readStretch(
  vault: Vault,
  path: VaultPath,
  stretch: ByteRange,
): { readonly bytes: Uint8Array; readonly size: number } | undefined {
  const size = vault.stat(path)?.stat.size
  if (size === undefined) return undefined
  if (stretch.length === 0) return { bytes: new Uint8Array(0), size }
  const bytes = vault.read(path, stretch)
  return bytes === undefined || bytes === 'unreadable' ? undefined : { bytes, size }
}
