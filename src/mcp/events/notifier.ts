import { ProtocolError } from '@modelcontextprotocol/server'
import { INVALID_PARAMS, shortUri } from '../protocol.ts'
import { readResourceUri } from '../resources/resource-uri.ts'
import type { ValidatingServer } from '../validating-server.ts'
import { type ClientEvent, type EventFeed, feedOf, ServerEvents, type ServerMessage, subscriptionRefusal } from './events.ts'

const METHODS = {
  tools_list_changed: 'notifications/tools/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
} as const

export interface NotifierOptions {
  readonly events?: EventFeed | undefined
}

/**
 * Forwards events until the connection closes. Legacy clients are only notified of changed lists and subscribed resources. For
 * modern clients, the SDK filters the events of each stream.
 */
export function connectNotifier(server: ValidatingServer, { events = EMPTY_FEED }: NotifierOptions): void {
  const subscribed = new Map<string, () => void>()
  let isInitialized = false
  const early: ServerMessage[] = []
  const sendLog = ({ level, text }: ServerMessage): void =>
    void server.sendLoggingMessage({ level, data: text, logger: 'roux' }).catch(() => {})
  server.oninitialized = () => {
    isInitialized = true
    for (const message of early.splice(0)) sendLog(message)
  }
  const isSubscribed = (event: ClientEvent) =>
    server.isModern || (event.kind === 'resource_updated' ? subscribed.has(event.uri) : isInitialized)
  const stopEvents = events.subscribe((event) => {
    if (server.transport === undefined || !isSubscribed(event)) return
    const sending =
      event.kind === 'resource_updated'
        ? server.notification({ method: 'notifications/resources/updated', params: { uri: event.uri } })
        : server.notification({ method: METHODS[event.kind] })
    // An error is ignored here, because a closing connection needs no notifications.
    sending.catch(() => {})
  })
  const stopMessages = events.onMessage((message) => {
    if (isInitialized) sendLog(message)
    else if (!server.isModern) early.push(message)
  })
  server.onEnd(() => {
    stopEvents()
    stopMessages()
    for (const end of subscribed.values()) end()
  })
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscribed.has(uri)) return {}
    const refusal = subscriptionRefusal([uri], subscribed.size)
    if (refusal !== undefined) throw new ProtocolError(INVALID_PARAMS, refusal)
    if (readResourceUri(uri) === undefined)
      throw new ProtocolError(INVALID_PARAMS, `${shortUri(uri)} is not the URI of a resource.`)
    subscribed.set(uri, events.subscribeResources([uri]))
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.get(uri)?.()
    subscribed.delete(uri)
    return {}
  })
}

const EMPTY_FEED = feedOf(new ServerEvents())
