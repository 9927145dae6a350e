import * as z from 'zod/v4'
import { parseJson } from '../core/quietly.ts'
import { type Client, isListed, listedAmong, notListed, readReturnAddress, shownName } from './clients.ts'
import { changeJson, readJson } from './state-files.ts'

/** Reads a document, or throws an error whose message states the reason. */
export type ReadDocument = (url: URL) => Promise<string>

export interface DocumentsOptions {
  readonly file: string
  readonly read: ReadDocument
  /** The hosts from which documents may be fetched. */
  readonly listed: readonly string[]
  now(): number
}

const FRESH_MS = 60 * 60_000
const KEEP_MS = 7 * 24 * 60 * 60_000
const MAX_DOCUMENTS = 32
/** The limit prevents strangers from flooding other servers with requests from this one. */
const AT_ONCE = 4

const DOCUMENT = z.object({
  client_id: z.string(),
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1).max(50),
})

const COPY = z.object({ id: z.string(), name: z.string(), addresses: z.array(z.string()), fetched: z.number() })
type Copy = z.output<typeof COPY>

/** The programs that use the URL of their metadata document as their id. */
export class ClientDocuments {
  readonly #options: DocumentsOptions
  readonly #running = new Map<string, Promise<Copy>>()

  constructor(options: DocumentsOptions) {
    this.#options = options
  }

  /** If the URL cannot be fetched, uses the last valid copy for up to a week. @throws Error whose message states the reason */
  async find(id: string): Promise<Client> {
    const { file, listed, now } = this.#options
    const cached = copiesIn(file).find((copy) => copy.id === id)
    const age = cached === undefined ? Number.POSITIVE_INFINITY : now() - cached.fetched
    const copy =
      cached !== undefined && age < FRESH_MS
        ? cached
        : await this.#fetch(id).catch((error: unknown) => {
            if (cached === undefined || age >= KEEP_MS) throw error
            return cached
          })
    return { id, name: copy.name, knownBy: new URL(id).hostname, addresses: listedAmong(copy.addresses, listed) }
  }

  async #fetch(id: string): Promise<Copy> {
    const running = this.#running.get(id)
    if (running !== undefined) return running
    if (this.#running.size >= AT_ONCE) throw new Error('too many descriptions are being fetched; try again in a moment')
    const fetching = this.#fetchNow(id).finally(() => this.#running.delete(id))
    this.#running.set(id, fetching)
    return fetching
  }

  async #fetchNow(id: string): Promise<Copy> {
    const { file, read, now } = this.#options
    const document = DOCUMENT.safeParse(parseJson(await read(new URL(id))))
    if (!document.success) throw new Error('it does not describe a program')
    const { client_id, client_name, redirect_uris } = document.data
    if (client_id !== id) throw new Error('it describes a different program')
    const copy = { id, name: shownName(client_name), addresses: redirect_uris, fetched: now() }
    changeJson(file, () => [...copiesIn(file).filter((stored) => stored.id !== id), copy].slice(-MAX_DOCUMENTS))
    return copy
  }
}

/** @returns the reason why the document must not be fetched, or `undefined` if it may */
export function documentFault(id: string, listedHosts: readonly string[]): string | undefined {
  const address = readReturnAddress(id)
  if (address === undefined || address.isLoopback || new URL(id).pathname === '/' || id.includes('?'))
    return 'The address of the program’s description is not valid.'
  return isListed(address, listedHosts) ? undefined : notListed(id)
}

function copiesIn(file: string): readonly Copy[] {
  const parsed = z.array(COPY).safeParse(readJson(file))
  return parsed.success ? parsed.data : []
}
