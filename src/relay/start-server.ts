import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Greeting, type Link } from './connect.ts'
import { findPlace, makeSocketFolder, notUsable, type Place, readAnnouncement, STARTUP_TIMEOUT } from './place.ts'

/** The internal command that runs the shared server. Users start it with `roux serve --background`. */
export const SHARED_COMMAND = 'shared-server'

const POLL_INTERVAL = 15

/**
 * Variables that glibc reads at startup, so it returns freed memory to the system. Thresholds are in bytes. On obsidian-hub, an
 * idle server holds 190 MB instead of 300 MB.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** The maximum number of starts. A server may end before this process connects to it. */
const MAX_STARTS = 3

/**
 * Connects to the server, and starts it if necessary. The place is looked up again, because the program may have been updated.
 * @throws an error that explains the failure
 */
export async function openLink(script: string, greeting: Greeting): Promise<Link> {
  const place = findPlace(script, process.env)
  let starts = 0
  for (const deadline = performance.now() + STARTUP_TIMEOUT; performance.now() < deadline; await pause(POLL_INTERVAL)) {
    const link = await connect(place, greeting, STARTUP_TIMEOUT)
    if (link !== undefined) return link
    // The connection is tried again, because the queue of a live server may be full.
    if (readAnnouncement(place)?.isAlive === true) continue
    if (starts++ === MAX_STARTS) break
    makeSocketFolder(place)
    if (announceStart(place)) await startServer(place, script)
  }
  throw notUsable(`the shared server does not start; see ${place.log} for details`)
}

/** Starts the server as a detached process, which survives this process and its group. */
async function startServer({ folder, log: path, announcement }: Place, script: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  // The log is optional. It is missing, for example, on a full disk.
  const log = quietly(() => openSync(path, 'w', 0o600)) ?? 'ignore'
  const args = [join(dirname(script), 'main.js'), SHARED_COMMAND]
  const child = spawn(process.execPath, args, {
    // The working directory is not a vault, because that would keep the vault's disk in use.
    cwd: folder,
    env: { ...ALLOCATOR, ...process.env },
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  })
  // The announcement is removed only if another process has not replaced it.
  const withdraw = (): void => void quietly(() => readFileSync(announcement, 'utf8') === OWN && rmSync(announcement))
  child.on('error', withdraw).on('exit', withdraw).unref()
  if (typeof log === 'number') closeSync(log)
}

const OWN = `${process.pid}`

/**
 * Announces a start.
 * @returns false if another process has announced one. On a full disk, several processes may succeed, but the lock allows only
 * one server.
 */
function announceStart(place: Place): boolean {
  const path = place.announcement
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const exists = errorCode(error) === 'EEXIST'
    if (exists && readAnnouncement(place)?.isAlive === true) return false
    // The file is from a dead process, or the disk is full. An empty file would block all other starts.
    quietly(() => (exists ? writeFileSync(path, OWN) : rmSync(path)))
  }
  return true
}
