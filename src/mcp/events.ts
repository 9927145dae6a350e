import { canonicalUri, readResourceUri } from './resources/resource-uri.ts'

/** Something that clients may ask to be told of; the kinds are those of the SDK's event bus. */
export type ServerEvent = (
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** `uri` in the very spelling that somebody asked for. */
  | { readonly kind: 'resource_updated'; readonly uri: string }
) &
  OfVault

/** Something that a person should know, which is no answer to anything. */
export interface ServerMessage extends OfVault {
  readonly level: 'error' | 'warning' | 'info'
  readonly text: string
}

/** The name of the vault where it happened; absent where that has none, and for what concerns everybody. */
interface OfVault {
  readonly vault?: string | undefined
}

/** What a connection needs of `ServerEvents`. */
export type EventFeed = Pick<ServerEvents, 'subscribe' | 'onMessage' | 'heed'>

/** The same without what happens in vaults that a caller may not see: that something does, and when, tells of them, too. */
export function eventsSeen(events: EventFeed, isSeen: 'nothing' | ((vault: string) => boolean)): EventFeed {
  const isHidden = (one: OfVault & Partial<ServerEvent>): boolean => {
    if (isSeen === 'nothing') return one.kind === undefined || one.kind === 'resource_updated'
    return one.vault !== undefined && !isSeen(one.vault)
  }
  const seen =
    <T extends OfVault>(listener: (one: T) => void) =>
    (one: T): void => {
      if (!isHidden(one)) listener(one)
    }
  return {
    subscribe: (listener) => events.subscribe(seen(listener)),
    onMessage: (listener) => events.onMessage(seen(listener)),
    heed: (uri) => events.heed(uri),
  }
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

  promptsChanged(vault?: string): void {
    this.publish({ kind: 'prompts_list_changed', vault })
  }

  resourcesChanged(): void {
    this.publish({ kind: 'resources_list_changed' })
  }

  /** Tells of it under the address given and under every other spelling of it that somebody asked for. */
  resourceUpdated(uri: string, vault?: string): void {
    for (const spelling of new Set([uri, ...(this.#spellings.get(canonicalUri(uri)) ?? [])])) {
      this.publish({ kind: 'resource_updated', uri: spelling, vault })
    }
  }

  /**
   * Tells of the notes and attachments among these that somebody asked for, under every spelling of theirs: `ids` as addresses name them
   * (`addressed`), or all of a vault.
   */
  filesUpdated(ids: ReadonlySet<string> | 'all', vault?: string): void {
    for (const [canonical, spellings] of this.#spellings) {
      const address = readResourceUri(canonical)
      if (address === undefined || address.kind === 'fixed') continue
      const isMeant = ids === 'all' ? vault === undefined || address.id.startsWith(`${vault}:`) : ids.has(address.id)
      if (isMeant) for (const uri of spellings) this.publish({ kind: 'resource_updated', uri, vault })
    }
  }

  /** Whether anybody asked to be told of any resource. */
  get isHeeded(): boolean {
    return this.#spellings.size > 0
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
