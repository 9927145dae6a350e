import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file under another name, syncs it and gives it its own: readers find the old content or the new. */
export async function writeDurably(path: string, temporary: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
  await sync(dirname(path)).catch(() => undefined) // Windows cannot sync a folder.
}

/** Returns when a file or folder is on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
