import { errorCode } from './errors.ts'

/** The functions of `node:fs` and `node:path` that are needed. */
export interface FolderMaking {
  mkdirSync(path: string, options: { readonly mode: number }): unknown
  dirname(path: string): string
}

/**
 * Works like `mkdir` with `recursive`, which loops forever on file systems such as `/proc`. By default, only the owner can read
 * new folders. Existing folders keep their mode.
 * @throws errors from Node, and `EPERM` on such file systems
 */
export function makeFolder(path: string, node: FolderMaking, mode = 0o700): void {
  try {
    make(path, node, mode)
  } catch (error) {
    const parent = node.dirname(path)
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    makeFolder(parent, node, mode)
    makeWithin(parent, path, { node, mode })
  }
}

/** Creates a folder whose parent must exist. */
function makeWithin(parent: string, path: string, { node, mode }: { readonly node: FolderMaking; readonly mode: number }): void {
  try {
    make(path, node, mode)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw Object.assign(new Error(`EPERM: cannot create a folder in ${parent}, mkdir '${path}'`, { cause: error }), {
      code: 'EPERM',
    })
  }
}

function make(path: string, { mkdirSync }: FolderMaking, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
