import { Socket } from 'node:net'

/** Connections to other computers that tests tried to open. */
export const refused: string[] = []

const { connect } = Socket.prototype

/** The remote host name or address in a socket's connect arguments. */
function beyond(given: unknown): string | undefined {
  // Node passes the arguments of its internal callers as one list.
  const [first, second] = Array.isArray(given) ? (Array.isArray(given[0]) ? given[0] : given) : [given]
  const options = typeof first === 'object' && first !== null ? (first as { host?: unknown; path?: unknown }) : undefined
  if (options?.path !== undefined && options.path !== null) return undefined
  const host = options === undefined ? (typeof second === 'string' ? second : undefined) : options.host
  if (typeof host !== 'string' || host === '') return undefined
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?|\[?::ffff:127\..*)$/i.test(host) ? undefined : host
}

// This is active in every test, so processes of the suite connect only within this computer.
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const host = beyond(args)
  if (host === undefined) return Reflect.apply(connect, this, args)
  refused.push(host)
  throw new Error(`A test would connect to ${host}.`)
} as typeof connect
