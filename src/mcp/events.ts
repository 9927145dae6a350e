import { canonicalUri, readResourceUri } from './resources/resource-uri.ts'

/** Something that clients may ask to be told of; the kinds are those of the SDK's event bus. */
export type ServerEvent =
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** `uri` in the very spelling that somebody asked for. */
  | { readonly kind: 'resource_updated'; readonly uri: string }

/** What a connection needs of `ServerEvents`. */
export type EventFeed = Pick<ServerEvents, 'subscribe' | 'onMessage' | 'heed'>

/** The same without what happens to notes of vaults that a caller may not see, or to any; a vault without a name is seen. */
export function eventsSeen(events: EventFeed, seen: 'nothing' | ((vault: string) => boolean)): EventFeed {
  const isHidden = (event: ServerEvent): boolean => {
    if (seen === 'nothing') return event.kind === 'resource_updated'
    const address = event.kind === 'resource_updated' ? readResourceUri(event.uri) : undefined
    const [vault, ...rest] = address === undefined || address.kind === 'fixed' ? [] : address.id.split(':')
    return vault !== undefined && rest.length > 0 && !seen(vault)
  }
  return {
    subscribe: (listener) =>
      events.subscribe((event) => {
        if (!isHidden(event)) listener(event)
      }),
    onMessage: (listener) => events.onMessage(listener),
    heed: (uri) => events.heed(uri),
  }
}

/** Something that a person should know, which is no answer to anything. */
export interface ServerMessage {
  readonly level: 'error' | 'warning' | 'info'
  readonly text: string
}

/** Spellings of addresses that are remembered; beyond that the oldest are forgotten. */
const MOST_SPELLINGS = 10_000

/** What one server tells all of its connections. Listeners are called at once, in the order in which they came. */
export class ServerEvents {
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  readonly #messageListeners = new Set<(message: ServerMessage) => void>()
  /** By how we would write the address. */
  readonly #spellings = new Map<string, Set<string>>()
  #spellingCount = 0

  toolsChanged(): void {
    this.publish({ kind: 'tools_list_changed' })
  }

  promptsChanged(): void {
    this.publish({ kind: 'prompts_list_changed' })
  }

  resourcesChanged(): void {
    this.publish({ kind: 'resources_list_changed' })
  }

  /** Tells of it under the address given and under every other spelling of it that somebody asked for. */
  resourceUpdated(uri: string): void {
    for (const spelling of new Set([uri, ...(this.#spellings.get(canonicalUri(uri)) ?? [])])) {
      this.publish({ kind: 'resource_updated', uri: spelling })
    }
  }

  /** Remembers how somebody who wants to be told of a resource spells its address: filters compare letter by letter. */
  heed(uri: string): void {
    const key = canonicalUri(uri)
    const spellings = this.#spellings.get(key) ?? new Set<string>()
    if (spellings.has(uri)) return
    this.#spellings.set(key, spellings.add(uri))
    this.#spellingCount += 1
    if (this.#spellingCount > MOST_SPELLINGS) this.#forgetOldest()
  }

  /** Tells every connection what a person should know. */
  say(level: ServerMessage['level'], text: string): void {
    for (const listener of [...this.#messageListeners]) listener({ level, text })
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

  /** Tells of it as it is. With `subscribe` this is the SDK's `ServerEventBus`. */
  publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  #forgetOldest(): void {
    const [oldest] = this.#spellings
    if (oldest === undefined) return
    this.#spellingCount -= oldest[1].size
    this.#spellings.delete(oldest[0])
  }
}
