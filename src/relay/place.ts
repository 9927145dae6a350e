import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { userFolders } from '../config/folders.ts'
import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'
import { isRunning } from '../core/is-running.ts'
import { makeFolder } from '../core/make-folder.ts'
import { quietly } from '../core/quietly.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the shared server of this user listens, and the files beside its socket. */
export interface Place {
  readonly folder: string
  /** Path of the socket, or the name of the pipe on Windows. */
  readonly socket: string
  /** File with the id of the process that starts or runs the server, then a space and the secret that begins every connection to it. */
  readonly announcement: string
  /** Locked by the server as long as it runs. */
  readonly lock: string
  /** File with the server's output. */
  readonly log: string
}

/** Milliseconds for a server to start, or to answer, while its process lives. Many processes that start together keep it busy. */
export const PATIENCE = 45_000

export const isWindows = process.platform === 'win32'

/** Longest path of a socket in bytes: the limit is 104 on macOS and 108 on Linux, with the closing zero. */
const LONGEST_PATH = 103

/** Variables that Node reads: the time zone, its own options, proxies and certificates. */
const NODE_VARIABLE = /^(?:TZ|NODE_.+|SSL_CERT_.+|(?:all|https?|no)_proxy)$/i

/**
 * Finds the place of the shared server for a program. The name depends on everything that the server takes from its own process: the
 * build of the program, Node, the computer and its mounts, the user's folders, and what Node reads from the environment. So another
 * version has another server, and so has a container that shares the cache folder but not the vaults.
 * @param script path of the program's main script
 * @throws RouxError if a socket is not possible
 */
export function findPlace(script: string, env: Env): Place {
  const { cache, state, config } = userFolders(env)
  const { size, mtimeMs } = statSync(script)
  const forNode = Object.entries(env).filter(([name]) => NODE_VARIABLE.test(name))
  const computer = [hostname(), quietly(() => readlinkSync('/proc/self/ns/mnt')), homedir(), process.version]
  const name = hashOf([script, size, mtimeMs, ...computer, cache, state, config, ...forNode.sort()].join('\0'))
  const runtime = env.XDG_RUNTIME_DIR ?? ''
  const usual = isAbsolute(runtime) ? join(runtime, 'roux') : join(cache, 'run')
  // Another user may already own a folder of this name in the temporary folder. `requirePrivate` detects that.
  const candidates = [usual, join(tmpdir(), `roux-${process.getuid?.() ?? ''}`)]
  const folder = candidates.find((one) => isWindows || Buffer.byteLength(join(one, `${name}.sock`)) <= LONGEST_PATH)
  if (folder === undefined) throw notUsable(`the path of a socket in ${candidates.join(' or ')} is too long`)
  const path = (ending: string): string => join(folder, `${name}.${ending}`)
  const socket = isWindows ? `\\\\.\\pipe\\roux-${name}` : path('sock')
  return { folder, socket, announcement: path('server'), lock: path('lock'), log: path('log') }
}

/** Creates the folder of the socket. Throws if that is not possible, or if the folder is not the user's alone. */
export function makeSocketFolder({ folder }: Place): void {
  makeFolder(folder, { mkdirSync, dirname })
  requirePrivate(folder, 'isDirectory')
}

/**
 * Reads who starts or runs the server. `token` is the secret of a server that runs. Returns `undefined` if there is no announcement.
 * @throws RouxError unless folder, file and socket belong to the user alone, and errors from Node
 */
export function readAnnouncement({ folder, socket, announcement: path }: Place) {
  try {
    requirePrivate(folder, 'isDirectory')
    requirePrivate(path, 'isFile')
    const [pid = '', token] = readFileSync(path, 'utf8').split(' ')
    if (token !== undefined) requirePrivate(socket, 'isSocket')
    // A server repeats its announcement. An older one counts no more, because process ids are used again.
    const isRecent = Math.abs(Date.now() - statSync(path).mtimeMs) < PATIENCE
    // Between its creation and its first write, the file is empty.
    return { isAlive: isRecent && (pid === '' || isRunning(Number(pid))), token }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Throws if something is not of this kind and the user's alone. The folder protects the socket. */
function requirePrivate(path: string, kind: 'isDirectory' | 'isFile' | 'isSocket'): void {
  if (isWindows) return
  const stats = lstatSync(path)
  const isOpen = kind !== 'isSocket' && (stats.mode & 0o077) !== 0
  if (!stats[kind]() || stats.uid !== process.getuid?.() || isOpen) throw notUsable(`${path} is not private to you`)
}

/**
 * Returns the error for a shared server that cannot be used. The process then does its work alone.
 * @param isBusy true if the server lives but has not answered in time
 */
export function notUsable(reason: string, isBusy = false): RouxError {
  return new RouxError('PROVIDER_ERROR', reason, { isTransient: isBusy })
}

const FNV = { start: 0xcbf29ce484222325n, prime: 0x100000001b3n }

/** FNV-1a with 64 bits. The name is no secret, and loading `node:crypto` would take longer than the rest of a relay's start. */
function hashOf(text: string): string {
  let hash = FNV.start
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV.prime)
  return hash.toString(36)
}
