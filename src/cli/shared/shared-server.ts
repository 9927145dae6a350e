import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import { SHUTDOWN } from '../../core/waiting/shutdown.ts'
import { type Alone, findPlace, type Place } from '../../relay/place.ts'
import { type Composition, type Host, VERSION } from '../host.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import { SharedVaults } from './shared-vaults.ts'

/** Milliseconds between checks for whether the socket is still there. Systems clean folders for temporary files. */
const LOOK_EVERY = 30_000
/** Milliseconds that a server waits for its first connection. */
const FIRST_WAIT = 60_000
/** Milliseconds that the end of another server may take, and between looks at its lock. */
const ENDING = 8_000
const LOCK_LOOK = 50
/** Connections that may wait to be accepted. */
const BACKLOG = 1_024

/** Runs the server that the user's assistants and commands share, until it has been unused for a while or is stopped. */
export async function runSharedServer(host: Host): Promise<number> {
  const place = placeOf(host)
  if ('alone' in place) throw new RouxError('PROVIDER_ERROR', `${place.alone}.`)
  const composition = await host.compose()
  const lock = await lockPlace(place, composition)
  if (lock === undefined) return 0
  try {
    await serveShared(host, place, new SharedVaults(composition, (line) => void host.stderr.write(`${line}\n`)))
  } finally {
    rmSync(place.token, { force: true })
    lock.release()
  }
  return 0
}

function placeOf({ sharing, env }: Host): Place | Alone {
  return findPlace(sharing?.script ?? '', env)
}

/** Returns false if the program was updated meanwhile, so new processes have another server. */
function isCurrent(host: Host, { socket }: Place): boolean {
  const now = quietly(() => placeOf(host))
  return now !== undefined && 'socket' in now && now.socket === socket
}

/**
 * Waits until an ending server has let go of the lock.
 * @returns the lock, or `undefined` if another server runs
 */
async function lockPlace(place: Place, { lockServer }: Composition): ReturnType<Composition['lockServer']> {
  for (const deadline = performance.now() + ENDING; ; await pause(LOCK_LOOK)) {
    const lock = await lockServer(place.lock)
    if (lock !== undefined || existsSync(place.socket) || performance.now() > deadline) return lock
  }
}

async function serveShared(host: Host, place: Place, vaults: SharedVaults): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const connections = new Map<Connection, Promise<void>>()
  let unused: NodeJS.Timeout | undefined
  let unusedAt = performance.now() + FIRST_WAIT
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const wait = (): void => {
    clearTimeout(unused)
    // A server whose program was updated ends with its last connection.
    if (connections.size === 0) unused = setTimeout(stop, isCurrent(host, place) ? unusedAt - performance.now() : 0)
  }
  const status: ConnectionParts['status'] = () => ({
    process: process.pid,
    version: VERSION,
    memory: Math.round(process.memoryUsage.rss() / 1e6),
    // The one that asks does not count itself.
    connections: connections.size - 1,
    vaults: vaults.list(),
  })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, { host, token, vaults, stop, status })
    clearTimeout(unused)
    const ended = connection.serve().finally(() => {
      connections.delete(connection)
      if (connection.keep !== undefined) unusedAt = performance.now() + connection.keep
      wait()
    })
    connections.set(connection, ended)
  })
  await listen(server, place, token)
  const looking = setInterval(() => {
    if (process.platform === 'win32' || existsSync(place.socket)) return
    server.close()
    // If the folder is gone, the next check tries again.
    listen(server, place, token).catch(() => {})
  }, LOOK_EVERY).unref()
  wait()
  host.onSignal(stop)
  await stopped
  clearInterval(looking)
  clearTimeout(unused)
  server.close()
  for (const connection of connections.keys()) connection.end('later')
  await Promise.race([Promise.all(connections.values()), pause(SHUTDOWN.closed)])
  await Promise.race([vaults.close(), pause(SHUTDOWN.gone - SHUTDOWN.closed)])
}

/** The token is written before the socket exists, so a process that finds the socket can use it. */
async function listen(server: Server, { socket, token: file, starting }: Place, token: string): Promise<void> {
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${token} ${process.pid}\n`, { mode: 0o600 })
  renameSync(fresh, file)
  // Only the holder of the lock gets here, so a socket in its place is one that a dead server left.
  if (process.platform !== 'win32') rmSync(socket, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ path: socket, backlog: BACKLOG }, () => resolve(void server.off('error', reject)))
  })
  rmSync(starting, { force: true })
}
