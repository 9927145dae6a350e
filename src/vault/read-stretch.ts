import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { VaultPath } from '../core/ids.ts'
import type { Vault } from '../core/vault.ts'
import { OPEN_PLAIN } from './file-system.ts'

/** Larger files are read in parts, and only where no symbolic link stands in for them. */
const READ_WHOLE = 64 << 20

/** A stretch of a file, shorter where the file ends, and its whole size; `undefined` when it is gone or may not be read. */
export function readStretch(
  vault: Vault,
  path: VaultPath,
  { offset, length }: { readonly offset: number; readonly length: number },
): { readonly bytes: Uint8Array; readonly size: number } | undefined {
  const size = vault.stat(path)?.stat.size
  if (size === undefined) return undefined
  if (length === 0) return { bytes: new Uint8Array(0), size }
  if (size > READ_WHOLE && OPEN_PLAIN !== undefined) {
    const bytes = readPart(join(vault.root, path), OPEN_PLAIN, { offset, length })
    if (bytes !== undefined) return { bytes, size }
  }
  const bytes = vault.read(path)
  if (bytes === undefined || bytes === 'unreadable') return undefined
  // Not a view: what is handed to another thread takes its whole buffer with it.
  return { bytes: bytes.slice(offset, offset + length), size: bytes.length }
}

/** `undefined` where the file cannot be opened, as where it is a symbolic link: the vault says which of those may be followed. */
function readPart(
  file: string,
  flags: number,
  { offset, length }: { readonly offset: number; readonly length: number },
): Uint8Array | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, flags)
    const bytes = new Uint8Array(length)
    return bytes.slice(0, readSync(descriptor, bytes, 0, length, offset))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
