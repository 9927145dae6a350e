import { errorCode } from './error-code.ts'

/** The functions of `node:fs` and `node:path` that create a folder. */
export interface FolderMaking {
  mkdirSync(path: string, options: { readonly mode: number }): unknown
  dirname(path: string): string
}

/**
 * Creates a folder with its missing parents, readable only by the owner unless `mode` is given. Existing folders stay
 * unchanged. Node's own `recursive` loops forever on a file system such as `/proc`, which reports an existing parent as
 * missing.
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
