import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/error-code.ts'
import { isRunning } from '../core/is-running.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Greeting, type Link, PATIENCE } from './connect.ts'
import { type Alone, findPlace, makeSocketFolder, type Place, readToken } from './place.ts'

/** The server that this process started last. The end of an earlier one says nothing about it. */
let newest: ChildProcess | undefined

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
    const fault = await startServer(place, script)
    if (fault !== undefined) return { alone: fault }
  }
  return { alone: `the shared server does not start; ${place.log} may tell why` }
}

/**
 * Starts the shared server, unless another process is doing so. The server runs detached, so it survives this process and its group.
 * @param script the program beside which the server's entry is
 * @returns why that is not possible, if so
 */
async function startServer(place: Place, script: string): Promise<string | undefined> {
  const fault = makeSocketFolder(place)
  if (fault !== undefined || !announceStart(place.starting)) return fault
  const { spawn } = await import('node:child_process')
  const log = openLog(place.log)
  const args = [join(dirname(script), 'main.js'), SHARED_COMMAND]
  const stdio = ['ignore', log, log] as const
  // It works in the folder of its socket, so no vault or removable disk is in use because of it.
  const child = spawn(process.execPath, args, { cwd: dirname(place.token), detached: true, stdio: [...stdio], windowsHide: true })
  const fail = (): void => withdraw(place.starting)
  newest?.removeAllListeners('exit')
  newest = child.on('error', fail).on('exit', fail)
  child.unref()
  if (typeof log === 'number') closeSync(log)
  return undefined
}

/** Creates the file that announces a start. Returns false if another process created it recently. */
function announceStart(path: string): boolean {
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && isAnnounced(path)) return false
    // Another process has left the file, or the disk is full. If several get here, the lock leaves one server.
    quietly(() => rmSync(path, { force: true }))
    if (errorCode(error) === 'EEXIST') quietly(() => writeFileSync(path, OWN, { mode: 0o600 }))
    return true
  }
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

/** Withdraws the announcement of a start that failed. Meanwhile, another process may have announced the next one. */
function withdraw(path: string): void {
  quietly(() => readFileSync(path, 'utf8') === OWN && rmSync(path))
}

const OWN = `${process.pid}`

/** Without a log, on a full disk for example, the server works all the same. */
function openLog(path: string): number | 'ignore' {
  try {
    return openSync(path, 'w', 0o600)
  } catch {
    return 'ignore'
  }
}
