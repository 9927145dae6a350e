import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { userFolders } from '../config/folders.ts'
import { errorCode } from '../core/error-code.ts'
import { makeFolder } from '../core/make-folder.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the shared server of this user listens, and the files beside its socket. */
export interface Place {
  /** Path of the socket, or the name of the pipe on Windows. */
  readonly socket: string
  /** File with the secret that begins every connection, and the id of the server's process. */
  readonly token: string
  /** Locked by the server as long as it runs. */
  readonly lock: string
  /** Names the process that is starting a server. */
  readonly starting: string
  /** File with the server's output. */
  readonly log: string
}

/** Why there is no shared server for this process. It then does its work alone. */
export interface Alone {
  readonly alone: string
  /** True if the server lives but has not answered in time. */
  readonly isBusy?: boolean
}

/** Longest path of a socket in bytes: the limit is 104 on macOS and 108 on Linux, with the closing zero. */
const LONGEST_PATH = 103

/**
 * Finds the place of the shared server for a program. The name depends on everything that the server takes from its own process: the
 * build of the program, Node, the user's folders and the time zone. So another version has another server.
 * @param script path of the program's main script
 */
export function findPlace(script: string, env: Env): Place | Alone {
  const { cache, state, config } = userFolders(env)
  const { size, mtimeMs } = statSync(script)
  const name = hashOf([script, `${size}`, `${mtimeMs}`, process.version, cache, state, config, homedir(), env.TZ ?? ''])
  const runtime = env.XDG_RUNTIME_DIR ?? ''
  const usual = isAbsolute(runtime) ? join(runtime, 'roux') : join(cache, 'run')
  const isWindows = process.platform === 'win32'
  const isShort = isWindows || Buffer.byteLength(join(usual, `${name}.sock`)) <= LONGEST_PATH
  // Another user may already own a folder of this name in the temporary folder. `checkFolder` detects that.
  const folder = isShort ? usual : join(tmpdir(), `roux-${process.getuid?.() ?? ''}`)
  const path = (ending: string): string => join(folder, `${name}.${ending}`)
  const socket = isWindows ? `\\\\.\\pipe\\roux-${name}` : path('sock')
  if (Buffer.byteLength(socket) > LONGEST_PATH && !isWindows) return { alone: `the path of a socket in ${folder} is too long` }
  return { socket, token: path('token'), lock: path('lock'), starting: path('starting'), log: path('log') }
}

/** Creates the folder of the socket. Returns why it cannot be used, if so. */
export function makeSocketFolder({ token }: Place): string | undefined {
  const folder = dirname(token)
  try {
    makeFolder(folder, { mkdirSync, dirname })
    // A folder of a cache that was copied or restored may be open to others. It is ours, so it can be closed.
    if (process.platform !== 'win32' && isOwn(lstatSync(folder))) chmodSync(folder, 0o700)
  } catch (error) {
    return `${folder} cannot be written (${errorCode(error) ?? String(error)})`
  }
  return checkFolder(folder)
}

/** The contents of a running server's file. */
export interface Announced {
  readonly token: string
  readonly pid: number
}

/**
 * Reads what the server has written about itself, after checking that folder, file and socket belong to the user alone.
 * @returns `undefined` if there is no server, or why the server must not be used
 */
export function readToken({ socket, token: path }: Place): Announced | Alone | undefined {
  try {
    const fault = checkFolder(dirname(path))
    if (fault !== undefined) return { alone: fault }
    if (process.platform !== 'win32') {
      const [file, listening] = [lstatSync(path), lstatSync(socket)]
      if (!isOwn(file) || !file.isFile() || (file.mode & 0o077) !== 0) return { alone: `${path} is not private to you` }
      if (!isOwn(listening) || !listening.isSocket()) return { alone: `${socket} is not a socket of yours` }
    }
    const [token = '', pid] = readFileSync(path, 'utf8').trim().split(' ')
    return token === '' ? undefined : { token, pid: Number(pid) }
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : { alone: `${path} cannot be read (${errorCode(error)})` }
  }
}

function checkFolder(folder: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const stats = lstatSync(folder)
  if (stats.isDirectory() && isOwn(stats) && (stats.mode & 0o077) === 0) return undefined
  return `${folder} is not a folder that only you can open`
}

function isOwn({ uid }: { readonly uid: number }): boolean {
  return uid === process.getuid?.()
}

const FNV = { start: 0xcbf29ce484222325n, prime: 0x100000001b3n }

/** FNV-1a with 64 bits. The name is no secret, and loading `node:crypto` would take longer than the rest of a relay's start. */
function hashOf(parts: readonly string[]): string {
  let hash = FNV.start
  for (const byte of Buffer.from(parts.join('\0'))) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV.prime)
  return hash.toString(36)
}
