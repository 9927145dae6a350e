import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { quietly } from '../../core/quietly.ts'
import { SHUTDOWN, withResolvers } from '../../core/waiting.ts'
import { findPlace, isWindows, type Place, STARTUP_TIMEOUT } from '../../relay/place.ts'
import { type Host, VERSION } from '../host.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import { SharedVaults } from './shared-vaults.ts'

const ANNOUNCE_EVERY_MS = STARTUP_TIMEOUT / 2
const FIRST_CONNECTION_TIMEOUT_MS = 60_000
const ENDING_TIMEOUT_MS = 8_000
const BACKLOG = 1_024

export async function runSharedServer(host: Host): Promise<number> {
  const place = placeOf(host)
  const composition = await host.compose()
  const lock = await composition.lockServer(place.lock, ENDING_TIMEOUT_MS)
  if (lock === undefined) return 0
  try {
    await serveShared(host, place, new SharedVaults(composition, (line) => void host.stderr.write(`${line}\n`)))
  } finally {
    lock.release()
  }
  return 0
}

function placeOf({ sharing, env }: Host): Place {
  return findPlace(sharing?.script ?? '', env)
}

async function serveShared(host: Host, place: Place, vaults: SharedVaults): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const connections = new Map<Connection, Promise<void>>()
  const { promise: stopped, resolve: stop } = withResolvers<void>()
  let unused: NodeJS.Timeout | undefined
  let unusedAt = performance.now() + FIRST_CONNECTION_TIMEOUT_MS
  const wait = (): void => {
    // After an update of the program, the server exits with its last connection.
    const isCurrent = quietly(() => placeOf(host).socket) === place.socket
    if (connections.size === 0) unused = setTimeout(stop, isCurrent ? unusedAt - performance.now() : 0).unref()
  }
  const status: ConnectionParts['status'] = () => ({
    process: process.pid,
    version: VERSION,
    memory: Math.round(process.memoryUsage.rss() / 1e6),
    connections: connections.size - 1,
    vaults: vaults.list(),
  })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, { host, token, vaults, stop, status })
    clearTimeout(unused)
    const ending = connection.serve().finally(() => {
      connections.delete(connection)
      if (connection.keep !== undefined) unusedAt = performance.now() + connection.keep
      wait()
    })
    connections.set(connection, ending)
  })
  // An existing socket is stale, because this process holds the lock. The token must not be announced while that socket exists.
  announce(place)
  if (!isWindows) rmSync(place.socket, { force: true })
  await once(server.listen({ path: place.socket, backlog: BACKLOG }), 'listening')
  announce(place, token)
  const announcing = setInterval(() => {
    // The operating system may have cleaned up the temporary folder.
    if (!isWindows && !existsSync(place.socket)) stop()
    else quietly(() => announce(place, token))
  }, ANNOUNCE_EVERY_MS).unref()
  wait()
  host.onSignal(stop)
  await stopped
  clearInterval(announcing)
  rmSync(place.announcement, { force: true })
  server.close()
  for (const connection of connections.keys()) connection.end('later')
  await Promise.race([Promise.all(connections.values()), pause(SHUTDOWN.closed)])
  await Promise.race([vaults.close(), pause(SHUTDOWN.gone - SHUTDOWN.closed)])
}

/** Writes the announcement. Without a token, it says that the server is still starting. The caller must hold the lock. */
function announce({ announcement }: Place, token?: string): void {
  const newFile = `${announcement}.new`
  writeFileSync(newFile, token === undefined ? `${process.pid}` : `${process.pid} ${token}`, { mode: 0o600 })
  renameSync(newFile, announcement)
}
