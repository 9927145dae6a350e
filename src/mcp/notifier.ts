import { ProtocolError } from '@modelcontextprotocol/server'
import { type EventFeed, type ServerEvent, ServerEvents } from './events.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { ValidatingServer } from './validating-server.ts'

const METHODS = {
  tools_list_changed: 'notifications/tools/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
} as const

/** Of one connection. */
const MOST_SUBSCRIPTIONS = 5_000
const TOO_MANY = `There are ${MOST_SUBSCRIPTIONS} subscriptions already: end some with resources/unsubscribe.`

/**
 * Forwards what happens to one connection, until that ends. A client of the legacy era is told of lists once it is initialised, and of
 * the resources that it subscribed to; in the modern one everything goes to the SDK, which knows what each stream asked for.
 */
export function connectNotifier(server: ValidatingServer, events: EventFeed = new ServerEvents()): void {
  const subscribed = new Set<string>()
  let isInitialized = false
  server.oninitialized = () => {
    isInitialized = true
  }
  const isWanted = (event: ServerEvent) =>
    server.isModern || (event.kind === 'resource_updated' ? subscribed.has(event.uri) : isInitialized)
  const stopEvents = events.subscribe((event) => {
    if (server.transport === undefined || !isWanted(event)) return
    const sent =
      event.kind === 'resource_updated'
        ? server.notification({ method: 'notifications/resources/updated', params: { uri: event.uri } })
        : server.notification({ method: METHODS[event.kind] })
    // A connection that is just ending needs to know nothing.
    sent.catch(() => {})
  })
  const stopMessages = events.onMessage(({ level, text }) => {
    if (server.isModern || !isInitialized) return
    server.sendLoggingMessage({ level, data: text, logger: 'roux' }).catch(() => {})
  })
  server.onEnd(() => {
    stopEvents()
    stopMessages()
  })
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscribed.size >= MOST_SUBSCRIPTIONS) throw new ProtocolError(INVALID_PARAMS, TOO_MANY)
    events.heed(uri)
    subscribed.add(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri)
    return {}
  })
}
