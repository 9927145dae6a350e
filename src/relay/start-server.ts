import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/error-code.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Greeting, type Link } from './connect.ts'
import { findPlace, makeSocketFolder, notUsable, PATIENCE, type Place, readAnnouncement } from './place.ts'

/** The command that runs the shared server. People use `roux serve --background`. */
export const SHARED_COMMAND = 'shared-server'

/** Milliseconds between looks at a server that another process is starting. */
const LOOK = 15

/**
 * Make the allocator of glibc return freed memory to the system. A process cannot change these settings for itself. The thresholds are
 * in bytes. On obsidian-hub, a server at rest after heavy use holds 190 MB instead of 300.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** A server may end before a process gets through to it, and another must be started. */
const MOST_STARTS = 3

/**
 * Connects to the shared server and starts it if necessary. The program may have been updated, so the place is looked up again.
 * @throws an error whose message tells why that is not possible
 */
export async function openLink(script: string, greeting: Greeting): Promise<Link> {
  const place = findPlace(script, process.env)
  let starts = 0
  for (const deadline = performance.now() + PATIENCE; performance.now() < deadline; await pause(LOOK)) {
    const link = await connect(place, greeting, PATIENCE)
    if (link !== undefined) return link
    // A server that lives may have more connections waiting than the system keeps.
    if (readAnnouncement(place)?.isAlive === true) continue
    if (starts++ === MOST_STARTS) break
    makeSocketFolder(place)
    if (announceStart(place)) await startServer(place, script)
  }
  throw notUsable(`the shared server does not start; ${place.log} may tell why`)
}

/** Starts the shared server detached, so it survives this process and its group. */
async function startServer({ folder, log: path, announcement }: Place, script: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  // Without a log, on a full disk for example, the server works all the same.
  const log = quietly(() => openSync(path, 'w', 0o600)) ?? 'ignore'
  const args = [join(dirname(script), 'main.js'), SHARED_COMMAND]
  const child = spawn(process.execPath, args, {
    // It works in the folder of its socket, so no vault or removable disk is in use because of it.
    cwd: folder,
    env: { ...ALLOCATOR, ...process.env },
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  })
  // Meanwhile, a server or another start may have been announced.
  const withdraw = (): void => void quietly(() => readFileSync(announcement, 'utf8') === OWN && rmSync(announcement))
  child.on('error', withdraw).on('exit', withdraw).unref()
  if (typeof log === 'number') closeSync(log)
}

const OWN = `${process.pid}`

/**
 * Announces a start. Returns false if another process has done so. If several processes come to announce one, on a full disk for
 * example, the lock leaves one server.
 */
function announceStart(place: Place): boolean {
  const path = place.announcement
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST'
    if (isThere && readAnnouncement(place)?.isAlive === true) return false
    // A process that is gone has left the file. On a full disk, an empty file would hold everybody up.
    quietly(() => (isThere ? writeFileSync(path, OWN) : rmSync(path)))
  }
  return true
}
