import { vaultOf } from '../calls/vault-arguments.ts'
import { addressed, readResourceUri } from '../resources/resource-uri.ts'

/** Limits per connection or stream: number of addresses, and characters per address. */
const MOST_ADDRESSES = 5_000
const LONGEST_ADDRESS = 5_000

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
export class ResourceSubscriptions {
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

/** Ids have no empty part, so no file has this name. */
const FIXED = 'roux://'

function isFile(subject: Subject): boolean {
  return !subject.startsWith(FIXED)
}
