import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Greeting, type Link } from './connect.ts'
import { findPlace, makeSocketFolder, notUsable, type Place, readAnnouncement, STARTUP_TIMEOUT } from './place.ts'

/** The internal command that runs the shared server. Users start it with `roux serve --background`. */
export const SHARED_COMMAND = 'shared-server'

/** Milliseconds between attempts to connect to a server that is being started. */
const POLL_INTERVAL = 15

/**
 * Environment variables that make glibc's allocator return freed memory to the system. They must be set before the process starts.
 * The thresholds are in bytes. On obsidian-hub, an idle server holds 190 MB instead of 300 MB after heavy use.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Maximum number of starts. A server may end before this process has connected to it, so another one is started. */
const MAX_STARTS = 3

/**
 * Connects to the shared server and starts it if necessary. The program may have been updated, so the place is looked up again.
 * @throws an error whose message explains why that is not possible
 */
export async function openLink(script: string, greeting: Greeting): Promise<Link> {
  const place = findPlace(script, process.env)
  let starts = 0
  for (const deadline = performance.now() + STARTUP_TIMEOUT; performance.now() < deadline; await pause(POLL_INTERVAL)) {
    const link = await connect(place, greeting, STARTUP_TIMEOUT)
    if (link !== undefined) return link
    // A live server may have more connections waiting than the system queues, so try again.
    if (readAnnouncement(place)?.isAlive === true) continue
    if (starts++ === MAX_STARTS) break
    makeSocketFolder(place)
    if (announceStart(place)) await startServer(place, script)
  }
  throw notUsable(`the shared server does not start; see ${place.log} for details`)
}

/** Starts the shared server detached, so it survives this process and its group. */
async function startServer({ folder, log: path, announcement }: Place, script: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  // The server also works without a log, for example on a full disk.
  const log = quietly(() => openSync(path, 'w', 0o600)) ?? 'ignore'
  const args = [join(dirname(script), 'main.js'), SHARED_COMMAND]
  const child = spawn(process.execPath, args, {
    // Run the server in the socket's folder, so it does not keep a vault or removable disk in use.
    cwd: folder,
    env: { ...ALLOCATOR, ...process.env },
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  })
  // Remove only this process's announcement, because another process may have replaced it.
  const withdraw = (): void => void quietly(() => readFileSync(announcement, 'utf8') === OWN && rmSync(announcement))
  child.on('error', withdraw).on('exit', withdraw).unref()
  if (typeof log === 'number') closeSync(log)
}

const OWN = `${process.pid}`

/**
 * Announces a start. Returns false if another process has already done so. If several processes announce one, for example on a full
 * disk, the lock ensures that only one server remains.
 */
function announceStart(place: Place): boolean {
  const path = place.announcement
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const exists = errorCode(error) === 'EEXIST'
    if (exists && readAnnouncement(place)?.isAlive === true) return false
    // Either a process that is gone left the file, or the disk is full. On a full disk, an empty file would block every other
    // start.
    quietly(() => (exists ? writeFileSync(path, OWN) : rmSync(path)))
  }
  return true
}
