import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/error-code.ts'
import { isRunning } from '../core/is-running.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Greeting, type Link, PATIENCE } from './connect.ts'
import { type Alone, findPlace, makeSocketFolder, type Place, readToken } from './place.ts'

/** The command that runs the shared server. People use `roux serve --background`. */
export const SHARED_COMMAND = 'shared-server'

/** Milliseconds between looks at a server that another process is starting. */
const LOOK = 15

/** A server may end before a process gets through to it, and another must be started. */
const MOST_STARTS = 3

/** Connects to the shared server and starts it if necessary. The program may have been updated, so the place is looked up again. */
export async function openLink(script: string, greeting: Greeting): Promise<Link | Alone> {
  const place = findPlace(script, process.env)
  if ('alone' in place) return place
  let starts = 0
  for (const deadline = performance.now() + PATIENCE; performance.now() < deadline; await pause(LOOK)) {
    const isComing = isAnnounced(place.starting) || isAlive(place)
    const link = await connect(place, greeting, PATIENCE)
    if (link !== undefined) return link
    if (isComing) continue
    if (starts++ === MOST_STARTS) break
    const fault = makeSocketFolder(place)
    if (fault !== undefined) return fault
    if (announceStart(place.starting)) await startServer(place, script)
  }
  return { alone: `the shared server does not start; ${place.log} may tell why` }
}

/** Starts the shared server detached, so it survives this process and its group. */
async function startServer({ folder, log: path, starting }: Place, script: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  // Without a log, on a full disk for example, the server works all the same.
  const log = quietly(() => openSync(path, 'w', 0o600)) ?? 'ignore'
  const args = [join(dirname(script), 'main.js'), SHARED_COMMAND]
  // It works in the folder of its socket, so no vault or removable disk is in use because of it.
  const child = spawn(process.execPath, args, { cwd: folder, detached: true, stdio: ['ignore', log, log], windowsHide: true })
  // Meanwhile, another process may have announced the next start.
  const withdraw = (): void => void quietly(() => readFileSync(starting, 'utf8') === OWN && rmSync(starting))
  child.on('error', withdraw).on('exit', withdraw).unref()
  if (typeof log === 'number') closeSync(log)
}

const OWN = `${process.pid}`

/**
 * Creates the file that announces a start. Returns false if another process has announced one. If several processes come to announce
 * one, on a full disk for example, the lock leaves one server.
 */
function announceStart(path: string): boolean {
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && isAnnounced(path)) return false
    // Another process has left the file. On a full disk, an empty file would hold everybody up.
    quietly(() => (errorCode(error) === 'EEXIST' ? writeFileSync(path, OWN) : rmSync(path)))
  }
  return true
}

/** Checks whether a living process has announced a start. After some time this counts no more, because process ids are used again. */
function isAnnounced(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || Math.abs(Date.now() - stats.mtimeMs) > PATIENCE) return false
  const pid = quietly(() => readFileSync(path, 'utf8'))
  // Between its creation and its first write, the file is empty.
  return pid === '' || isRunning(Number(pid))
}

/** Checks whether the process that announced itself as the server lives. It may have more connections waiting than the system keeps. */
function isAlive(place: Place): boolean {
  const announced = readToken(place)
  return announced !== undefined && 'pid' in announced && isRunning(announced.pid)
}
