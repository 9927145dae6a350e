import { errorCode } from './error-code.ts'

/** What of Node makes a folder: `node:fs` and `node:path` have it. */
export interface FolderMaking {
  mkdirSync(path: string, options: { readonly mode: number }): unknown
  dirname(path: string): string
}

/**
 * Makes a folder and those above it that are missing, readable by their owner only unless `mode` says otherwise; what is there stays as it
 * is. Node's own `recursive` never returns where a file system says that a folder is missing whose parent is there, as `/proc` does.
 * @throws what Node throws, and `EPERM` there
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

/** Makes a folder whose parent is there. */
function makeWithin(parent: string, path: string, { node, mode }: { readonly node: FolderMaking; readonly mode: number }): void {
  try {
    make(path, node, mode)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw Object.assign(new Error(`EPERM: no folder can be made in ${parent}, mkdir '${path}'`, { cause: error }), {
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
