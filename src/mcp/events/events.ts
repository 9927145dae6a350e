import { vaultOf } from '../calls/vault-arguments.ts'
import { addressed, readResourceUri } from '../resources/resource-uri.ts'

/** The limits per connection or stream. */
const MAX_ADDRESSES = 5_000

const MAX_ADDRESS_LENGTH = 5_000

/** File ids never start with this prefix, because ids have no empty segments. */
const FIXED = 'roux://'

/** An event, named as in the SDK's event bus. */
export type ClientEvent =
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** A resource has changed. `uri` is spelled as the client has requested it. */
  | { readonly kind: 'resource_updated'; readonly uri: string }

/** An event of the server, which each connection translates for its client. */
type ServerEvent = (
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  /** The resource at `uri`, the canonical address of a fixed resource, has changed. */
  | { readonly kind: 'resource_updated'; readonly uri: string }
  /** Some files have changed. `ids` returns normalized ids (see `addressed`), or `'all'` for the whole vault. */
  | { readonly kind: 'files_updated'; ids(): ReadonlySet<string> | 'all' }
) &
  OfVault

export interface ServerMessage extends OfVault {
  readonly level: 'error' | 'warning' | 'info'
  readonly text: string
}

/** The vault's name. It is omitted for an unnamed vault, and for events that apply to all clients. */
interface OfVault {
  readonly vault?: string | undefined
}

export interface EventFeed {
  /** @returns a function that removes the listener */
  subscribe(listener: (event: ClientEvent) => void): () => void
  /** @returns a function that removes the listener */
  onMessage(listener: (message: ServerMessage) => void): () => void
  /** Reports changes under exactly the given addresses. @returns a function that unsubscribes */
  subscribeResources(uris: readonly string[]): () => void
}

/** The names of vaults in order (empty if the only vault has no name), or `'nothing'`. */
export type VisibleVaults = readonly string[] | 'nothing'

/**
 * Returns the events that a client may see. Events of other vaults are hidden, because even the time of a change reveals
 * something.
 */
export function feedOf(events: ServerEvents, visible: VisibleVaults = []): EventFeed {
  const subscriptions = new ResourceSubscriptions(visible === 'nothing' ? [] : visible)
  const isSeen = ({ vault }: OfVault): boolean => visible !== 'nothing' && (vault === undefined || visible.includes(vault))
  return {
    subscribe: (listener) =>
      events.subscribe((event) => {
        if (!isSeen(event) && !OF_SETTINGS.includes(event.kind)) return
        for (const clientEvent of clientEventsFor(event, subscriptions)) listener(clientEvent)
      }),
    onMessage: (listener) =>
      events.onMessage((message) => {
        if (isSeen(message)) listener(message)
      }),
    subscribeResources: (uris) => subscriptions.subscribe(uris),
  }
}

const OF_SETTINGS: readonly ServerEvent['kind'][] = ['tools_list_changed', 'resources_list_changed']

function clientEventsFor(event: ServerEvent, subscriptions: ResourceSubscriptions): readonly ClientEvent[] {
  if (event.kind !== 'resource_updated' && event.kind !== 'files_updated') return [{ kind: event.kind }]
  if (subscriptions.isEmpty) return []
  const uris =
    event.kind === 'resource_updated' ? subscriptions.ofResource(event.uri) : subscriptions.ofFiles(event.ids(), event.vault)
  return uris.map((uri) => ({ kind: 'resource_updated', uri }))
}

/** Calls listeners synchronously, in the order of subscription. */
export class ServerEvents {
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  readonly #messageListeners = new Set<(message: ServerMessage) => void>()

  publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  filesUpdated(ids: readonly string[] | 'all', vault?: string): void {
    let visible: ReadonlySet<string> | 'all' | undefined
    this.publish({
      kind: 'files_updated',
      vault,
      // The ids are computed lazily, because most notes have no subscribers.
      ids: () => {
        visible ??= ids === 'all' ? ids : new Set(ids.map(addressed))
        return visible
      },
    })
  }

  say(message: ServerMessage): void {
    for (const listener of [...this.#messageListeners]) listener(message)
  }

  /** @returns a function that removes the listener */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** @returns a function that removes the listener */
  onMessage(listener: (message: ServerMessage) => void): () => void {
    this.#messageListeners.add(listener)
    return () => void this.#messageListeners.delete(listener)
  }
}

/** @param count number of current subscriptions @returns why the addresses cannot be added, or `undefined` if they can */
export function subscriptionRefusal(uris: readonly string[], count = 0): string | undefined {
  if (count + uris.length > MAX_ADDRESSES)
    return `A client can subscribe to at most ${MAX_ADDRESSES} resources. End some subscriptions first.`
  const isTooLong = uris.some((uri) => uri.length > MAX_ADDRESS_LENGTH)
  return isTooLong ? `A resource URI can have at most ${MAX_ADDRESS_LENGTH} characters.` : undefined
}

/** The subject of a subscription: a normalized id (see `addressed`), or the canonical address of a fixed resource. */
type Subject = string

/** Subscriptions keep the client's spelling of an address, because clients filter by exact comparison. */
class ResourceSubscriptions {
  readonly #vaults: readonly string[]
  readonly #spellings = new Map<Subject, Map<string, number>>()

  /** @param vaults their names; an id without a vault's name belongs to the first one, as in reads */
  constructor(vaults: readonly string[]) {
    this.#vaults = vaults
  }

  /** Subscribes to addresses and ignores invalid ones. @returns a function that removes the addresses */
  subscribe(uris: readonly string[]): () => void {
    const subscribed = uris.flatMap((uri) => {
      const subject = this.#subjectOf(uri)
      return subject === undefined ? [] : [{ subject, uri }]
    })
    for (const { subject, uri } of subscribed) this.#count(subject, uri, 1)
    return () => {
      for (const { subject, uri } of subscribed.splice(0)) this.#count(subject, uri, -1)
    }
  }

  ofResource(uri: string): readonly string[] {
    return [...(this.#spellings.get(uri)?.keys() ?? [])]
  }

  ofFiles(ids: ReadonlySet<string> | 'all', vault: string | undefined): readonly string[] {
    if (ids === 'all') {
      const isMine = (subject: Subject) => !subject.startsWith(FIXED) && (vault === undefined || subject.startsWith(`${vault}:`))
      return [...this.#spellings].flatMap(([subject, spellings]) => (isMine(subject) ? [...spellings.keys()] : []))
    }
    const [few, larger] = ids.size < this.#spellings.size ? [ids, this.#spellings] : [this.#spellings, ids]
    return [...few.keys()].flatMap((subject) => (larger.has(subject) ? this.ofResource(subject) : []))
  }

  get isEmpty(): boolean {
    return this.#spellings.size === 0
  }

  #subjectOf(uri: string): Subject | undefined {
    const address = readResourceUri(uri)
    if (address === undefined) return undefined
    if (address.kind === 'fixed') return `${FIXED}${address.name}`
    const id = addressed(address.id)
    const [first] = this.#vaults
    return first === undefined || vaultOf(id, this.#vaults) !== undefined ? id : `${first}:${id}`
  }

  #count(subject: Subject, uri: string, more: 1 | -1): void {
    const spellings = this.#spellings.get(subject) ?? new Map<string, number>()
    const count = (spellings.get(uri) ?? 0) + more
    if (count > 0) spellings.set(uri, count)
    else spellings.delete(uri)
    if (spellings.size > 0) this.#spellings.set(subject, spellings)
    else this.#spellings.delete(subject)
  }
}
