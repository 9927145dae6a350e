import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { changeStateFile } from '../config/state-file.ts'
import { errorCode, RouxError } from '../core/errors.ts'

/** Returns the paths of the sign-in files in the state folder. Only their owner can read the files. */
export function signInFiles(stateFolder: string) {
  return {
    /** Key for signing the values that clients store. */
    key: join(stateFolder, 'sign-in.json'),
    /** The permission given by `roux connect`. */
    window: join(stateFolder, 'connect.json'),
    /** Folder with one file per connection. */
    connections: join(stateFolder, 'connections'),
    /** Descriptions that clients publish about themselves. */
    documents: join(stateFolder, 'clients.json'),
  }
}

/** Returns a file's JSON, or `undefined` if the file is missing or damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw notSaved(path, error)
  }
}

/**
 * Changes a file's JSON while other processes are locked out. `change` returns the new value, the given value to leave the file
 * unchanged, or `undefined` to remove the file.
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be written, and errors from `change`
 */
export function changeJson(path: string, change: (before: unknown) => unknown): void {
  try {
    changeStateFile(path, () => {
      const before = readJson(path)
      const after = change(before)
      if (after === undefined) rmSync(path, { force: true })
      return after === undefined || after === before ? undefined : `${JSON.stringify(after, undefined, 2)}\n`
    })
  } catch (error) {
    if (errorCode(error) === undefined || error instanceof RouxError) throw error
    throw notSaved(path, error)
  }
}

function notSaved(path: string, cause: unknown): RouxError {
  return new RouxError('PERMISSION_DENIED', `${path} cannot be used: ${(cause as Error).message}.`, {
    hint: 'Make its folder writable for you, or set XDG_STATE_HOME to a writable folder.',
    cause,
  })
}
