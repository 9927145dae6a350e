import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { userFolders } from '../config/folders.ts'
import { errorCode } from '../core/error-code.ts'
import { makeFolder } from '../core/make-folder.ts'
import { quietly } from '../core/quietly.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where the shared server of this user listens, and the files beside its socket. */
export interface Place {
  readonly folder: string
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

const isWindows = process.platform === 'win32'

/** Longest path of a socket in bytes: the limit is 104 on macOS and 108 on Linux, with the closing zero. */
const LONGEST_PATH = 103

/** Variables that Node reads: the time zone, its own options, proxies and certificates. */
const NODE_VARIABLE = /^(?:TZ|NODE_.+|SSL_CERT_.+|(?:all|https?|no)_proxy)$/i

/**
 * Finds the place of the shared server for a program. The name depends on everything that the server takes from its own process: the
 * build of the program, Node, the computer and its mounts, the user's folders, and what Node reads from the environment. So another
 * version has another server, and so has a container that shares the cache folder but not the vaults.
 * @param script path of the program's main script
 */
export function findPlace(script: string, env: Env): Place | Alone {
  const { cache, state, config } = userFolders(env)
  const { size, mtimeMs } = statSync(script)
  const forNode = Object.entries(env).filter(([name]) => NODE_VARIABLE.test(name))
  const computer = [hostname(), quietly(() => readlinkSync('/proc/self/ns/mnt')), homedir(), process.version]
  const name = hashOf([script, size, mtimeMs, ...computer, cache, state, config, ...forNode.sort()].join('\0'))
  const runtime = env.XDG_RUNTIME_DIR ?? ''
  const usual = isAbsolute(runtime) ? join(runtime, 'roux') : join(cache, 'run')
  // Another user may already own a folder of this name in the temporary folder. `privacyFault` detects that.
  const candidates = [usual, join(tmpdir(), `roux-${process.getuid?.() ?? ''}`)]
  const folder = candidates.find((one) => isWindows || Buffer.byteLength(join(one, `${name}.sock`)) <= LONGEST_PATH)
  if (folder === undefined) return { alone: `the path of a socket in ${candidates.join(' or ')} is too long` }
  const path = (ending: string): string => join(folder, `${name}.${ending}`)
  const socket = isWindows ? `\\\\.\\pipe\\roux-${name}` : path('sock')
  return { folder, socket, token: path('token'), lock: path('lock'), starting: path('starting'), log: path('log') }
}

/** Creates the folder of the socket. Returns why it cannot be used, if so. */
export function makeSocketFolder({ folder }: Place): Alone | undefined {
  try {
    makeFolder(folder, { mkdirSync, dirname })
    return privacyFault(folder, 'isDirectory')
  } catch (error) {
    return { alone: `${folder} cannot be written (${errorCode(error) ?? String(error)})` }
  }
}

/** The contents of a running server's file. */
interface Announced {
  readonly token: string
  readonly pid: number
}

/**
 * Reads what the server has written about itself, after checking that folder, file and socket belong to the user alone.
 * @returns `undefined` if there is no server, or why the server must not be used
 */
export function readToken({ folder, socket, token: path }: Place): Announced | Alone | undefined {
  try {
    const fault = privacyFault(folder, 'isDirectory') ?? privacyFault(path, 'isFile') ?? privacyFault(socket, 'isSocket')
    if (fault !== undefined) return fault
    const [token = '', pid] = readFileSync(path, 'utf8').trim().split(' ')
    return { token, pid: Number(pid) }
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : { alone: `${path} cannot be read (${errorCode(error)})` }
  }
}

/** Returns why something is not of this kind and the user's alone, if so. The folder protects the socket. */
function privacyFault(path: string, kind: 'isDirectory' | 'isFile' | 'isSocket'): Alone | undefined {
  if (isWindows) return undefined
  const stats = lstatSync(path)
  const isOpen = kind !== 'isSocket' && (stats.mode & 0o077) !== 0
  return stats[kind]() && stats.uid === process.getuid?.() && !isOpen ? undefined : { alone: `${path} is not private to you` }
}

const FNV = { start: 0xcbf29ce484222325n, prime: 0x100000001b3n }

/** FNV-1a with 64 bits. The name is no secret, and loading `node:crypto` would take longer than the rest of a relay's start. */
function hashOf(text: string): string {
  let hash = FNV.start
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV.prime)
  return hash.toString(36)
}
