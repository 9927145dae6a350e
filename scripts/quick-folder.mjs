import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** The free space that the folder must have, in bytes. Containers often have too little. */
const REQUIRED = 2 ** 31

/** Returns a folder in memory if there is one, otherwise the one for temporary files. A test that is about the disk does not use it. */
export function quickFolder() {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= REQUIRED) return MEMORY
  } catch {
    // This system has no such folder.
  }
  return tmpdir()
}
