import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { userFolders } from '../config/environment.ts'
import { errorCode, RouxError } from '../core/errors.ts'
import { isRunning } from '../core/is-running.ts'
import { makeFolder } from '../core/make-folder.ts'
import { quietly } from '../core/quietly.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Place {
  readonly folder: string
  /** The path of the socket, or the name of the pipe on Windows. */
  readonly socket: string
  /**
   * The path of the announcement, which contains the server's process id. A running server adds a space and the connection
   * secret.
   */
  readonly announcement: string
  readonly lock: string
  readonly log: string
}

/** The time in milliseconds to wait for a live server. It is long, because many processes may start at once. */
export const STARTUP_TIMEOUT = 45_000

/** Milliseconds between creating and writing an announcement, at most. */
const WRITE_TIMEOUT = 1_000

export const isWindows = process.platform === 'win32'

/** The maximum length of a path in bytes. macOS allows 104 and Linux 108, including the terminating zero. */
const MAX_PATH_LENGTH = 103

/** Matches variables that Node reads: time zone, options, proxies and certificates. */
const NODE_VARIABLE = /^(?:TZ|NODE_.+|SSL_CERT_.+|(?:all|https?|no)_proxy)$/i

/**
 * Derives the socket path from the server's environment: build, Node, computer, mounts, user folders and variables. Each version
 * and each container has its own server.
 * @param script path of the main script
 * @throws RouxError if the path would be too long
 */
export function findPlace(script: string, env: Env): Place {
  const { cache, state, config } = userFolders(env)
  const { size, mtimeMs } = statSync(script)
  const forNode = Object.entries(env).filter(([name]) => NODE_VARIABLE.test(name))
  const computer = [hostname(), quietly(() => readlinkSync('/proc/self/ns/mnt')), homedir(), process.version]
  const name = hashOf([script, size, mtimeMs, ...computer, cache, state, config, ...forNode.sort()].join('\0'))
  const runtime = env.XDG_RUNTIME_DIR ?? ''
  const usual = isAbsolute(runtime) ? join(runtime, 'roux') : join(cache, 'run')
  // One of these folders may belong to another user, which `requirePrivate` checks.
  const candidates = [usual, join(tmpdir(), `roux-${process.getuid?.() ?? ''}`)]
  const folder = candidates.find(
    (candidate) => isWindows || Buffer.byteLength(join(candidate, `${name}.sock`)) <= MAX_PATH_LENGTH,
  )
  if (folder === undefined) throw notUsable(`the socket's path in ${candidates.join(' or ')} would be too long`)
  const path = (ending: string): string => join(folder, `${name}.${ending}`)
  const socket = isWindows ? `\\\\.\\pipe\\roux-${name}` : path('sock')
  return { folder, socket, announcement: path('server'), lock: path('lock'), log: path('log') }
}

/** Creates the folder. @throws an error if the folder cannot be created or is not private to the user */
export function makeSocketFolder({ folder }: Place): void {
  makeFolder(folder, { mkdirSync, dirname })
  requirePrivate(folder, 'isDirectory')
}

/**
 * @returns `undefined` if there is no announcement
 * @throws RouxError unless folder, file and socket are private to the user; errors from Node
 */
export function readAnnouncement({ folder, socket, announcement: path }: Place) {
  try {
    requirePrivate(folder, 'isDirectory')
    requirePrivate(path, 'isFile')
    const [pid = '', token] = readFileSync(path, 'utf8').split(' ')
    if (token !== undefined) requirePrivate(socket, 'isSocket')
    // Live servers renew their announcement. An old one is ignored, because its process id may have been reused.
    const age = Math.abs(Date.now() - statSync(path).mtimeMs)
    // An empty announcement counts only for a short time. A starting process writes its id at once, but after a crash or on a
    // full disk, the file stays empty.
    const isAlive = pid === '' ? age < WRITE_TIMEOUT : age < STARTUP_TIMEOUT && isRunning(Number(pid))
    return { isAlive, token }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** A socket's mode is not checked, because its folder is private. */
function requirePrivate(path: string, kind: 'isDirectory' | 'isFile' | 'isSocket'): void {
  if (isWindows) return
  const stats = lstatSync(path)
  const isOpen = kind !== 'isSocket' && (stats.mode & 0o077) !== 0
  if (!stats[kind]() || stats.uid !== process.getuid?.() || isOpen) throw notUsable(`${path} is not private to you`)
}

/** @param isBusy the server is alive but did not answer in time */
export function notUsable(reason: string, isBusy = false): RouxError {
  return new RouxError('PROVIDER_ERROR', reason, { isTransient: isBusy })
}

const FNV = { start: 0xcbf29ce484222325n, prime: 0x100000001b3n }

/** Returns a 64-bit FNV-1a hash. Loading `node:crypto` would more than double the relay's startup time. */
function hashOf(text: string): string {
  let hash = FNV.start
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV.prime)
  return hash.toString(36)
}
