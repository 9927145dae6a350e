import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { userFolders } from '../config/environment.ts'
import { errorCode, RouxError } from '../core/errors.ts'
import { isRunning } from '../core/is-running.ts'
import { makeFolder } from '../core/make-folder.ts'
import { quietly } from '../core/quietly.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Paths of the user's shared server: its socket and the files next to it. */
export interface Place {
  readonly folder: string
  /** Path of the socket, or the name of the pipe on Windows. */
  readonly socket: string
  /** File with the id of the process that starts or runs the server. Once it runs, a space and the secret for connections follow. */
  readonly announcement: string
  /** File that the server keeps locked while it runs. */
  readonly lock: string
  /** File with the server's output. */
  readonly log: string
}

/** Milliseconds to wait for a live server to start or answer. It is busy when many processes start at the same time. */
export const STARTUP_TIMEOUT = 45_000

export const isWindows = process.platform === 'win32'

/** Maximum length of a socket's path in bytes. The limit is 104 on macOS and 108 on Linux, including the terminating zero. */
const MAX_PATH_LENGTH = 103

/** Matches variables that Node reads: the time zone, its own options, proxies and certificates. */
const NODE_VARIABLE = /^(?:TZ|NODE_.+|SSL_CERT_.+|(?:all|https?|no)_proxy)$/i

/**
 * Returns where a program's shared server listens. The names of its files depend on everything that a server takes from its own
 * process: the program's build, Node, the computer and its mounts, the user's folders, and what Node reads from the environment.
 * Each version therefore has its own server, as does a container that shares the cache folder but not the vaults.
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
  // Another user may already own a folder with this name in the temporary folder. `requirePrivate` detects that.
  const candidates = [usual, join(tmpdir(), `roux-${process.getuid?.() ?? ''}`)]
  const folder = candidates.find(
    (candidate) => isWindows || Buffer.byteLength(join(candidate, `${name}.sock`)) <= MAX_PATH_LENGTH,
  )
  if (folder === undefined) throw notUsable(`the socket's path in ${candidates.join(' or ')} would be too long`)
  const path = (ending: string): string => join(folder, `${name}.${ending}`)
  const socket = isWindows ? `\\\\.\\pipe\\roux-${name}` : path('sock')
  return { folder, socket, announcement: path('server'), lock: path('lock'), log: path('log') }
}

/** Creates the socket's folder. Throws if that is not possible, or if the folder is not private to the user. */
export function makeSocketFolder({ folder }: Place): void {
  makeFolder(folder, { mkdirSync, dirname })
  requirePrivate(folder, 'isDirectory')
}

/**
 * Reads which process starts or runs the server. `token` is a running server's secret. Returns `undefined` if there is no
 * announcement.
 * @throws RouxError unless folder, file and socket are private to the user, and errors from Node
 */
export function readAnnouncement({ folder, socket, announcement: path }: Place) {
  try {
    requirePrivate(folder, 'isDirectory')
    requirePrivate(path, 'isFile')
    const [pid = '', token] = readFileSync(path, 'utf8').split(' ')
    if (token !== undefined) requirePrivate(socket, 'isSocket')
    // A live server renews its announcement. An old one is ignored, because process ids are reused.
    const isRecent = Math.abs(Date.now() - statSync(path).mtimeMs) < STARTUP_TIMEOUT
    // The file is empty between its creation and the first write, while its process is starting.
    return { isAlive: isRecent && (pid === '' || isRunning(Number(pid))), token }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Throws unless the path has this file type and only the user can access it. The mode of a socket is not checked, because its
 * folder protects it.
 */
function requirePrivate(path: string, kind: 'isDirectory' | 'isFile' | 'isSocket'): void {
  if (isWindows) return
  const stats = lstatSync(path)
  const isOpen = kind !== 'isSocket' && (stats.mode & 0o077) !== 0
  if (!stats[kind]() || stats.uid !== process.getuid?.() || isOpen) throw notUsable(`${path} is not private to you`)
}

/**
 * Returns the error for a shared server that cannot be used. The process then works alone.
 * @param isBusy true if the server is alive but has not answered in time
 */
export function notUsable(reason: string, isBusy = false): RouxError {
  return new RouxError('PROVIDER_ERROR', reason, { isTransient: isBusy })
}

const FNV = { start: 0xcbf29ce484222325n, prime: 0x100000001b3n }

/**
 * Returns the 64-bit FNV-1a hash. The name is not a secret, and loading `node:crypto` would take longer than the rest of the
 * relay's start-up.
 */
function hashOf(text: string): string {
  let hash = FNV.start
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV.prime)
  return hash.toString(36)
}
