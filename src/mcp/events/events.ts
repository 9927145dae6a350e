import { addressed } from '../resources/resource-uri.ts'
import { ResourceSubscriptions } from './resource-subscriptions.ts'

/** Something that a client may subscribe to; the kinds are those of the SDK's event bus. */
export type ClientEvent =
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** `uri` in the very spelling that was asked for. */
  | { readonly kind: 'resource_updated'; readonly uri: string }

/** Something that happened, for every connection to report in its own terms. */
type ServerEvent = (
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** `uri` is the address of a fixed resource, as we write it. */
  | { readonly kind: 'resource_updated'; readonly uri: string }
  /** `ids` gives them as addresses name them (`addressed`), or all of a vault. */
  | { readonly kind: 'files_updated'; ids(): ReadonlySet<string> | 'all' }
) &
  OfVault

/** Something that a person should know, which is no answer to anything. */
export interface ServerMessage extends OfVault {
  readonly level: 'error' | 'warning' | 'info'
  readonly text: string
}

/** The vault's name; absent for an unnamed vault and for events of all clients. */
interface OfVault {
  readonly vault?: string | undefined
}

/** The events for one connection, or several with equal rights. */
export interface EventFeed {
  /** Returns how to stop listening. */
  subscribe(listener: (event: ClientEvent) => void): () => void
  /** Returns how to stop listening. */
  onMessage(listener: (message: ServerMessage) => void): () => void
  /** Reports changes of resources under these addresses, as they are spelled. Returns how to end that. */
  subscribeResources(uris: readonly string[]): () => void
}

/** The vaults that a listener may see, by their names and in their order, none where the only one has no name; or nothing of any. */
export type SeenVaults = readonly string[] | 'nothing'

/**
 * The events for a client that sees these vaults. It hears nothing about others: even the time of a change reveals
 * something about their notes.
 */
export function feedOf(events: ServerEvents, seen: SeenVaults = []): EventFeed {
  const subscriptions = new ResourceSubscriptions(seen === 'nothing' ? [] : seen)
  const isSeen = ({ vault }: OfVault): boolean => seen !== 'nothing' && (vault === undefined || seen.includes(vault))
  return {
    subscribe: (listener) =>
      events.subscribe((event) => {
        if (!isSeen(event) && !OF_SETTINGS.includes(event.kind)) return
        for (const own of inOwnTerms(event, subscriptions)) listener(own)
      }),
    onMessage: (listener) =>
      events.onMessage((message) => {
        if (isSeen(message)) listener(message)
      }),
    subscribeResources: (uris) => subscriptions.subscribe(uris),
  }
}

/** Changes that come of settings alone. */
const OF_SETTINGS: readonly ServerEvent['kind'][] = ['tools_list_changed', 'resources_list_changed']

function inOwnTerms(event: ServerEvent, subscriptions: ResourceSubscriptions): readonly ClientEvent[] {
  if (event.kind !== 'resource_updated' && event.kind !== 'files_updated') return [{ kind: event.kind }]
  if (subscriptions.isEmpty) return []
  const uris =
    event.kind === 'resource_updated' ? subscriptions.ofResource(event.uri) : subscriptions.ofFiles(event.ids(), event.vault)
  return uris.map((uri) => ({ kind: 'resource_updated', uri }))
}

/** The events of one server. Listeners are called at once, in the order they subscribed. */
export class ServerEvents {
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  readonly #messageListeners = new Set<(message: ServerMessage) => void>()

  toolsChanged(): void {
    this.#publish({ kind: 'tools_list_changed' })
  }

  promptsChanged(vault?: string): void {
    this.#publish({ kind: 'prompts_list_changed', vault })
  }

  resourcesChanged(): void {
    this.#publish({ kind: 'resources_list_changed' })
  }

  /** Reports a change of a fixed resource, `roux://recent`. */
  resourceUpdated(uri: string, vault?: string): void {
    this.#publish({ kind: 'resource_updated', uri, vault })
  }

  /** Reports notes and attachments that changed, or all of a vault. */
  filesUpdated(ids: readonly string[] | 'all', vault?: string): void {
    let made: ReadonlySet<string> | 'all' | undefined
    this.#publish({
      kind: 'files_updated',
      vault,
      // Most notes have no listener, so names are computed only if there is one.
      ids: () => {
        made ??= ids === 'all' ? ids : new Set(ids.map(addressed))
        return made
      },
    })
  }

  /** Gives every connection what a person should know. */
  say(message: ServerMessage): void {
    for (const listener of [...this.#messageListeners]) listener(message)
  }

  /** Returns how to stop listening. */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Returns how to stop listening. */
  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener)
    return () => void this.#messageListeners.delete(listener)
  }

  #publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }
}
