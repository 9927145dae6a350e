import { setTimeout as pause } from 'node:timers/promises'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import { isRunning } from '../../core/is-running.ts'
import { amount } from '../../core/text/amount.ts'
import { connect, PATIENCE, type SharedStatus } from '../../relay/connect.ts'
import { greetingOf } from '../../relay/greeting.ts'
import { findPlace } from '../../relay/place.ts'
import { openLink } from '../../relay/start-server.ts'
import { type Host, UsageError } from '../host.ts'
import type { Invocation } from '../session.ts'
import { SWITCHED_OFF, whyAlone } from './why-alone.ts'

/** The state of the shared server for this user, as `status` shows it. */
export interface SharedState {
  readonly running?: SharedStatus
  /** Why processes with these settings do not use it. */
  readonly alone?: string
}

/** Starts the shared server and lets it open the vaults of this command line. */
export async function startInBackground({ host, printer, options }: Invocation, loaded: LoadedVaults): Promise<number> {
  const alone = whyAlone({ host, options }, loaded) ?? (host.sharing === undefined ? 'the program is not built' : undefined)
  const link =
    alone === undefined
      ? await openLink(host.sharing?.script ?? '', greetingOf('warm', process.argv.slice(2), host.env))
      : { alone }
  if ('alone' in link)
    throw new UsageError(`A shared server is not possible here: ${link.alone}.`, '"roux serve" without --background needs none.')
  link.socket.destroy()
  printer.note(
    link.notice.status === undefined
      ? 'The shared server runs.'
      : `The shared server runs: ${describeShared(link.notice.status)}.`,
  )
  return 0
}

/** Milliseconds for the server to end. It answers running calls before. */
const ENDING = { within: 8_000, look: 25 }

/** Ends the shared server. */
export async function stop({ host, printer }: Invocation): Promise<number> {
  const status = await ask(host, 'stop')
  if (status === undefined) {
    printer.note('No shared server is running.')
    return 0
  }
  if ('alone' in status) throw new RouxError('PROVIDER_ERROR', `The shared server cannot be asked: ${status.alone}.`)
  const deadline = performance.now() + ENDING.within
  while (isRunning(status.process)) {
    if (performance.now() > deadline) {
      const hint = `End it: kill ${status.process}`
      throw new RouxError('TIMEOUT', `The shared server (process ${status.process}) has not ended.`, { hint })
    }
    await pause(ENDING.look)
  }
  printer.note(`The shared server (process ${status.process}) has ended. The next assistant starts another one.`)
  return 0
}

/** Returns the state of the shared server, without starting one. */
export async function sharedState({ host, options }: Invocation, loaded: LoadedVaults): Promise<SharedState | undefined> {
  const alone = whyAlone({ host, options }, loaded)
  const status = await ask(host, 'status')
  if (status === undefined && alone === SWITCHED_OFF) return undefined
  if (status === undefined) return alone === undefined ? {} : { alone }
  if ('alone' in status) return { alone: alone ?? status.alone }
  return { running: status, ...(alone === undefined ? {} : { alone }) }
}

/** Describes the state of the shared server in words. */
export function describeState({ running, alone }: SharedState): string {
  const state = running === undefined ? 'does not run' : describeShared(running)
  return alone === undefined ? state : `${state}; processes with these settings work alone: ${alone}`
}

function describeShared({ process: id, version, memory, connections, vaults }: SharedStatus): string {
  return `process ${id}, version ${version}, ${memory} MB, ${amount(connections, 'connection')}, ${amount(vaults.length, 'vault')}`
}

async function ask(
  { sharing, env }: Host,
  kind: 'status' | 'stop',
): Promise<SharedStatus | { readonly alone: string } | undefined> {
  if (sharing === undefined) return undefined
  const place = findPlace(sharing.script, env)
  const link = 'alone' in place ? place : await connect(place, greetingOf(kind, [], env), kind === 'stop' ? PATIENCE : undefined)
  if (link === undefined || 'alone' in link) return link
  link.socket.destroy()
  return link.notice.status
}
