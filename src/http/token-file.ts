import { chmodSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/v4'
import { changeStateFile } from '../config/state-file.ts'
import { errorCode, RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { firstToken, isSecret, isTokenName, SCOPES, type Token } from './tokens.ts'

/** Path of the token file: `tokens.json` in the state folder. */
export function tokenFileIn(stateFolder: string): string {
  return join(stateFolder, 'tokens.json')
}

/**
 * Reads the tokens from a file. Returns `undefined` if the file does not exist.
 * @throws RouxError `PERMISSION_DENIED` if it cannot be read, `INVALID_SETTINGS` if it is damaged. A damaged file is never replaced,
 * because it may contain secrets that are still in use.
 */
export function readTokens(path: string): readonly Token[] | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  try {
    return FILE.parse(JSON.parse(text)).tokens
  } catch (cause) {
    throw new RouxError('INVALID_SETTINGS', `${path} is damaged: it is not a list of tokens.`, {
      hint: 'Repair or move it. If it is missing, "roux token show" creates a new file, and every client needs the new token.',
      cause,
    })
  }
}

/**
 * Reads the tokens from a file, creating it with a first token if necessary. @throws the errors of `readTokens` and `changeTokens`
 */
export function openTokens(path: string): readonly Token[] {
  return readTokens(path) ?? changeTokens(path, (tokens) => tokens ?? [firstToken()])
}

/**
 * Changes the tokens in a file under a lock. `change` receives `undefined` if there is no file.
 * @returns the new tokens
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be written, and errors from `readTokens` and `change`
 */
export function changeTokens(path: string, change: (tokens: readonly Token[] | undefined) => readonly Token[]): readonly Token[] {
  let tokens: readonly Token[] = []
  try {
    changeStateFile(path, () => {
      const before = readTokens(path)
      tokens = change(before)
      return tokens === before ? undefined : `${JSON.stringify({ tokens }, undefined, 2)}\n`
    })
  } catch (cause) {
    if (cause instanceof RouxError) throw cause
    throw new RouxError('PERMISSION_DENIED', `The tokens cannot be written to ${path}: ${(cause as Error).message}.`, {
      hint: 'Make its folder writable, or set XDG_STATE_HOME to a writable folder.',
      cause,
    })
  }
  return tokens
}

/**
 * Makes a file inaccessible to other users of this computer. Returns a warning if they could read it until now, or still can.
 * @throws RouxError `PERMISSION_DENIED` if that is not possible
 */
export function closeToOthers(path: string): string | undefined {
  const mode = modeOf(path)
  if (mode === undefined || !isOpenToOthers(mode)) return undefined
  try {
    chmodSync(path, 0o600)
  } catch (cause) {
    throw new RouxError('PERMISSION_DENIED', `Other users of this computer can read ${path}, and its mode cannot be changed.`, {
      hint: `Run "chmod 600" on it as its owner, then "roux token rotate".`,
      cause,
    })
  }
  if (isOpenToOthers(modeOf(path) ?? 0))
    return `Other users of this computer can read ${path}: its file system does not support permissions. Set XDG_STATE_HOME to a folder on another file system, then run "roux token rotate".`
  return `Other users of this computer could read ${path} (mode ${mode.toString(8)}); now they cannot. "roux token rotate" gives new secrets.`
}

/** Returns a file's permission bits, or `undefined` if the file or the platform has none. */
export function modeOf(path: string): number | undefined {
  if (process.platform === 'win32') return undefined
  const stats = statOf(path)
  return stats === undefined ? undefined : stats.mode & 0o777
}

/** Checks whether permission bits grant access to others. */
export function isOpenToOthers(mode: number): boolean {
  return (mode & 0o077) !== 0
}

/** Returns a value that changes when a file is replaced or modified. */
export function versionOf(path: string): string {
  const stats = statOf(path)
  return stats === undefined ? '' : `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}:${stats.mode}`
}

const FILE = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: z.string().refine(isTokenName),
        secret: z.string().refine(isSecret),
        scopes: z.array(z.enum(SCOPES)).min(1),
        vaults: z.union([z.literal('*'), z.array(z.string().min(1)).min(1)]),
      }),
    )
    .refine((tokens) => new Set(tokens.map(({ name }) => name)).size === tokens.length),
})

function statOf(path: string): Stats | undefined {
  // The reason is reported when the file is read.
  return quietly(() => statSync(path))
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw new RouxError('PERMISSION_DENIED', `The tokens in ${path} cannot be read: ${(cause as Error).message}.`, {
      hint: 'Make sure that you may read the file, or set XDG_STATE_HOME to another folder.',
      cause,
    })
  }
}
