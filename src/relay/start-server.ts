import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../core/error-code.ts'
import { quietly } from '../core/quietly.ts'
import { connect, type Link } from './connect.ts'
import type { Greeting } from './greeting.ts'
import { type Alone, findPlace, makeSocketFolder, type Place } from './place.ts'

/** The server that this process started last. The end of an earlier one says nothing about it. */
let newest: ChildProcess | undefined

/** The command that runs the shared server. People use `roux serve --background`. */
export const SHARED_COMMAND = 'shared-server'

/** Milliseconds after which a start that another process announced counts as failed, and between looks at it. */
const STARTING = { within: 10_000, look: 15 }

/** Connects to the shared server and starts it if necessary. The program may have been updated, so the place is looked up again. */
export async function openLink(script: string, greeting: Greeting): Promise<Link | Alone> {
  const place = findPlace(script, process.env)
  if ('alone' in place) return place
  const outcome = (await connect(place, greeting)) ?? (await startServer(place, script))
  // A server that is just starting is alive, but may be slow on a busy machine.
  return outcome ?? (await untilStarted(place, () => connect(place, greeting, STARTING.within)))
}

/**
 * Starts the shared server, unless another process is doing so. The server runs detached, so it survives this process and its group.
 * @param script the program beside which the server's entry is
 */
async function startServer(place: Place, script: string): Promise<Alone | undefined> {
  const fault = makeSocketFolder(place)
  if (fault !== undefined) return { alone: fault }
  if (!announceStart(place.starting)) return undefined
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

/**
 * Repeats an attempt to connect until it succeeds, or until no process is starting a server any more.
 * @returns the connection, or why there is none
 */
async function untilStarted<T extends object>(place: Place, attempt: () => Promise<T | undefined>): Promise<T | Alone> {
  const deadline = performance.now() + STARTING.within
  for (;;) {
    const isStarting = ageOf(place.starting) !== undefined
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
    if (!isStarting || performance.now() > deadline)
      return { alone: `the shared server does not start; ${place.log} may tell why` }
    await pause(STARTING.look)
  }
}

/** Creates the file that announces a start. Returns false if another process created it recently. */
function announceStart(path: string): boolean {
  try {
    writeFileSync(path, OWN, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return true
    const age = ageOf(path)
    // The age is negative after the clock was set back.
    if (age !== undefined && age >= 0 && age < STARTING.within) return false
    // The file may be gone, because a server has started.
    quietly(() => writeFileSync(path, OWN))
    return true
  }
}

/** Withdraws the announcement of a start that failed. Meanwhile, another process may have announced the next one. */
function withdraw(path: string): void {
  quietly(() => readFileSync(path, 'utf8') === OWN && rmSync(path))
}

const OWN = `${process.pid}`

function ageOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : Date.now() - stats.mtimeMs
}

/** Without a log, on a full disk for example, the server works all the same. */
function openLog(path: string): number | 'ignore' {
  try {
    return openSync(path, 'w', 0o600)
  } catch {
    return 'ignore'
  }
}
