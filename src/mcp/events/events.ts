import { vaultOf } from '../calls/vault-arguments.ts'
import { addressed, readResourceUri } from '../resources/resource-uri.ts'

/** Limits per connection or stream: number of addresses, and characters per address. */
const MOST_ADDRESSES = 5_000

const LONGEST_ADDRESS = 5_000

/** Ids have no empty part, so no file has this name. */
const FIXED = 'roux://'

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

  /** Reports an event to every listener. */
  publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  /** Reports notes and attachments that changed, or all of a vault. */
  filesUpdated(ids: readonly string[] | 'all', vault?: string): void {
    let made: ReadonlySet<string> | 'all' | undefined
    this.publish({
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
}

/** Why a client that is subscribed to `count` addresses may not subscribe to these as well; `undefined` when it may. */
export function subscriptionRefusal(uris: readonly string[], count = 0): string | undefined {
  if (count + uris.length > MOST_ADDRESSES)
    return `A client subscribes to ${MOST_ADDRESSES} resources at the most: end some subscriptions first.`
  const isTooLong = uris.some((uri) => uri.length > LONGEST_ADDRESS)
  return isTooLong ? `An address of a resource has ${LONGEST_ADDRESS} characters at the most.` : undefined
}

/** How a file is named by `addressed`; an address of a fixed resource as we write it. */
type Subject = string

/** The addresses that are subscribed to, in the spelling in which they were asked for: filters compare letter by letter. */
class ResourceSubscriptions {
  readonly #vaults: readonly string[]
  /** How many asked for each spelling. */
  readonly #spellings = new Map<Subject, Map<string, number>>()

  /** `vaults` are the names that ids may begin with: an id without one is of the first, as it is when it is read. */
  constructor(vaults: readonly string[]) {
    this.#vaults = vaults
  }

  /** Adds addresses; those that name nothing here are left out. Returns how to end that, which is done once. */
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

  /** The spellings of a fixed resource's address. */
  ofResource(uri: string): readonly string[] {
    return [...(this.#spellings.get(uri)?.keys() ?? [])]
  }

  /** The spellings of the addresses of these files, given as `addressed` names them, or of all files of a vault. */
  ofFiles(ids: ReadonlySet<string> | 'all', vault: string | undefined): readonly string[] {
    if (ids === 'all') {
      const isMeant = (subject: Subject) => isFile(subject) && (vault === undefined || subject.startsWith(`${vault}:`))
      return [...this.#spellings].flatMap(([subject, spellings]) => (isMeant(subject) ? [...spellings.keys()] : []))
    }
    const [few, many] = ids.size < this.#spellings.size ? [ids, this.#spellings] : [this.#spellings, ids]
    return [...few.keys()].flatMap((subject) => (many.has(subject) ? this.ofResource(subject) : []))
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

function isFile(subject: Subject): boolean {
  return !subject.startsWith(FIXED)
}
