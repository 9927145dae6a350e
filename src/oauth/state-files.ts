import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { changeStateFile } from '../config/state-file.ts'
import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'

/** Where sign-in keeps its files in the state folder. Only their owner can read them. */
export function signInFiles(stateFolder: string) {
  return {
    /** The key that signs what clients keep for this server. */
    key: join(stateFolder, 'sign-in.json'),
    /** What `roux connect` allowed. */
    window: join(stateFolder, 'connect.json'),
    /** One file for each connection. */
    connections: join(stateFolder, 'connections'),
    /** Descriptions that clients publish about themselves. */
    documents: join(stateFolder, 'clients.json'),
  }
}

/** Returns a file's JSON. Returns `undefined` if there is no file or it is damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw notKept(path, error)
  }
}

/**
 * Changes a file's JSON while other processes are locked out. `change` returns the new value, the given one to leave the file as it
 * is, or `undefined` to remove it.
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be written; errors of `change`
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
    throw notKept(path, error)
  }
}

function notKept(path: string, cause: unknown): RouxError {
  return new RouxError('PERMISSION_DENIED', `${path} cannot be used: ${(cause as Error).message}.`, {
    hint: 'Make that folder writable for you, or set XDG_STATE_HOME to one that is.',
    cause,
  })
}
