import { Socket } from 'node:net'

/** Connections beyond this computer that tests tried to open. */
export const refused: string[] = []

const { connect } = Socket.prototype

/** Of what a socket is asked to connect to: another computer's name or address. */
function beyond(given: unknown): string | undefined {
  // Node hands its own callers' arguments on as one list.
  const [first, second] = Array.isArray(given) ? (Array.isArray(given[0]) ? given[0] : given) : [given]
  const options = typeof first === 'object' && first !== null ? (first as { host?: unknown; path?: unknown }) : undefined
  if (options?.path !== undefined && options.path !== null) return undefined
  const host = options === undefined ? (typeof second === 'string' ? second : undefined) : options.host
  if (typeof host !== 'string' || host === '') return undefined
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?|\[?::ffff:127\..*)$/i.test(host) ? undefined : host
}

// Every test runs with this: what a process of the suite opens stays on this computer.
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const host = beyond(args)
  if (host === undefined) return Reflect.apply(connect, this, args)
  refused.push(host)
  throw new Error(`A test would connect to ${host}.`)
} as typeof connect
