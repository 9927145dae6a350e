import { setTimeout as pause } from 'node:timers/promises'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import { isRunning } from '../../core/is-running.ts'
import { amount } from '../../core/text/format.ts'
import { connect, type Link, type SharedStatus } from '../../relay/connect.ts'
import { greetingOf } from '../../relay/greeting.ts'
import { findPlace, STARTUP_TIMEOUT } from '../../relay/place.ts'
import { openLink } from '../../relay/start-server.ts'
import { type Host, UsageError } from '../host.ts'
import type { Invocation } from '../session.ts'
import { SWITCHED_OFF, whyAlone } from './relay-first.ts'

export interface SharedState {
  readonly running?: SharedStatus | undefined
  readonly alone?: string
}

export async function startInBackground(invocation: Invocation, loaded: LoadedVaults): Promise<number> {
  const { host, printer } = invocation
  const reason = whyAlone(invocation, loaded)
  const greeting = greetingOf('warm', process.argv.slice(2), host.env)
  const start = () => openLink(host.sharing?.script ?? '', greeting)
  const { running, alone } = reason === undefined ? await stateOf(start) : { alone: reason }
  if (running === undefined)
    throw new UsageError(`A shared server is not possible here: ${alone}.`, 'Omit --background to serve without it.')
  printer.note(`The shared server runs: ${describe(running)}.`)
  return 0
}

const ENDING_MS = { within: 8_000, look: 25 }

export async function stop({ host, printer }: Invocation): Promise<number> {
  const { running, alone } = await askServer(host, 'stop', STARTUP_TIMEOUT)
  if (alone !== undefined) throw new RouxError('PROVIDER_ERROR', `The shared server cannot be reached: ${alone}.`)
  if (running === undefined) {
    printer.note('No shared server is running.')
    return 0
  }
  const name = `The shared server (process ${running.process})`
  for (const deadline = performance.now() + ENDING_MS.within; isRunning(running.process); await pause(ENDING_MS.look)) {
    if (performance.now() > deadline)
      throw new RouxError('TIMEOUT', `${name} has not ended.`, { hint: `End it: kill ${running.process}` })
  }
  printer.note(`${name} has ended. The next assistant starts another one.`)
  return 0
}

export async function sharedState(invocation: Invocation, loaded: LoadedVaults): Promise<SharedState | undefined> {
  if (invocation.host.sharing === undefined) return undefined
  const reason = whyAlone(invocation, loaded)
  const state = await askServer(invocation.host, 'status')
  if (reason === SWITCHED_OFF && state.running === undefined && state.alone === undefined) return undefined
  return reason === undefined ? state : { ...state, alone: reason }
}

export function describeState({ running, alone }: SharedState): string {
  const state = running === undefined ? 'not running' : describe(running)
  return alone === undefined ? state : `${state}; processes with these settings work alone: ${alone}`
}

function describe({ process: id, version, memory, connections, vaults }: SharedStatus): string {
  const state = `process ${id}, version ${version}, ${memory} MB, ${amount(connections, 'connection')}`
  // There are no vaults yet if the server is still opening its first one.
  return vaults.length === 0 ? state : `${state}, ${amount(vaults.length, 'vault')}`
}

function askServer({ sharing, env }: Host, kind: 'status' | 'stop', patience?: number): Promise<SharedState> {
  return stateOf(() => connect(findPlace(sharing?.script ?? '', env), greetingOf(kind, [], env), patience))
}

async function stateOf(open: () => Promise<Link | undefined>): Promise<SharedState> {
  try {
    const link = await open()
    link?.socket.destroy()
    return { running: link?.notice.status }
  } catch (error) {
    return { alone: (error as Error).message }
  }
}
