import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { readPublicAddress } from '../../src/http/host-and-origin.ts'
import type { PublicSide } from '../../src/http/routes.ts'
import type { Scope } from '../../src/http/tokens.ts'
import type { ReadDocument } from '../../src/oauth/client-documents.ts'
import { openWindow } from '../../src/oauth/connect-window.ts'
import { openSignIn } from '../../src/oauth/open-sign-in.ts'
import { signInFiles } from '../../src/oauth/state-files.ts'
import { type Listening, listening } from '../http/support.ts'
import { temporaryFolder } from '../support/temporary.ts'

export const ORIGIN = 'https://notes.example'
export const RESOURCE = `${ORIGIN}/mcp`
export const CALLBACK = 'https://claude.ai/api/mcp/auth_callback'

// biome-ignore lint/suspicious/noExplicitAny: every test reads another shape
export type Json = any
type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly json: Json
}

export interface Asked {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
  /** A form, which is sent with POST. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>
}

export interface SignInOptions {
  readonly clients?: readonly string[]
  readonly scopes?: readonly Scope[]
  readonly vaults?: readonly string[]
  /** Documents by their address. */
  readonly documents?: Readonly<Record<string, object>>
  readonly readDocument?: ReadDocument
  readonly stateFolder?: string
  /** The port of the public address. If it is set, the server listens there, so clients need no tunnel. */
  readonly port?: number
  /** The public address, if a proxy stands in front. */
  readonly origin?: string
}

/** A server with a public address, as programs and browsers on the internet see it. */
export class PublicServer {
  http: Listening
  /** What the server uses of sign-in. */
  side!: PublicSide
  readonly state: string
  readonly #options: SignInOptions
  /** Milliseconds by which the clock of this server is ahead. */
  ahead = 0

  private constructor(http: Listening, state: string, options: SignInOptions) {
    this.http = http
    this.state = state
    this.#options = options
  }

  static async start(options: SignInOptions = {}): Promise<PublicServer> {
    const state = options.stateFolder ?? temporaryFolder()
    const made: PublicServer = new PublicServer(undefined as unknown as Listening, state, options)
    await made.#listen()
    onTestFinished(() => made.http.close())
    return made
  }

  readonly now = (): number => Date.now() + this.ahead

  /** Ends the server and starts another one with the same files. */
  async restart(): Promise<void> {
    await this.http.close()
    await this.#listen()
  }

  /** Works like `roux connect` and returns the code. */
  connect(scopes: readonly Scope[] = ['read'], vaults: '*' | readonly string[] = '*'): string {
    return openWindow(signInFiles(this.state).window, { scopes, vaults }, this.now())
  }

  /** Sends a request in the way it arrives from a tunnel. */
  async ask(path: string, { method, headers = {}, body, form }: Asked = {}): Promise<Answer> {
    const text = form === undefined ? body : formText(form)
    const type: Headers = form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
    const sent = request({
      port: this.http.port,
      host: '127.0.0.1',
      agent: false,
      path: path.startsWith(ORIGIN) ? path.slice(ORIGIN.length) : path,
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      headers: {
        Host: this.#options.port === undefined ? 'notes.example' : `127.0.0.1:${this.#options.port}`,
        ...type,
        ...headers,
      },
    })
    sent.end(text)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    let answer = ''
    for await (const chunk of response.setEncoding('utf8')) answer += chunk
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: answer,
      json: isJson ? JSON.parse(answer) : undefined,
    }
  }

  async register(addresses: readonly string[] = [CALLBACK], name = 'Claude'): Promise<Answer> {
    return this.ask('/register', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: addresses }),
    })
  }

  /** Opens the page for a program that registers itself first. */
  async begin(changes: Readonly<Record<string, string | undefined>> = {}): Promise<Begun> {
    const { json } = changes.client_id === undefined ? await this.register() : { json: { client_id: changes.client_id } }
    const { verifier, challenge } = proof()
    const parameters = {
      response_type: 'code',
      client_id: json.client_id,
      redirect_uri: CALLBACK,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'the state',
      scope: 'read',
      resource: RESOURCE,
      ...changes,
    }
    const known = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const page = await this.ask(`/authorize?${new URLSearchParams(known)}`)
    return {
      client: json.client_id,
      verifier,
      page,
      address: String(parameters.redirect_uri),
      query: String(new URLSearchParams(known)),
    }
  }

  /** Sends the form of a page, as it was filled in. */
  submit(page: Answer, code: string, changes: Asked['form'] = {}, headers: Headers = OWN_PAGE): Promise<Answer> {
    return this.ask('/authorize', { form: { ...filledIn(page), code, decision: 'allow', ...changes }, headers })
  }

  /** Signs in completely and returns the tokens. */
  async signIn(
    scopes: readonly Scope[] = ['read'],
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<SignedIn> {
    const code = this.connect(scopes)
    const begun = await this.begin({ scope: scopes.join(' '), ...changes })
    const returned = parametersOf(await this.submit(begun.page, code))
    const { json } = await this.redeem(begun, returned.code ?? '')
    return { ...begun, code: returned.code ?? '', access: json.access_token, refresh: json.refresh_token, json }
  }

  redeem(
    { client, verifier, address }: Pick<Begun, 'client' | 'verifier' | 'address'>,
    code: string,
    changes: Headers = {},
  ): Promise<Answer> {
    const form = {
      grant_type: 'authorization_code',
      client_id: client,
      code,
      code_verifier: verifier,
      redirect_uri: address,
      ...changes,
    }
    return this.ask('/token', { form })
  }

  refresh({ client }: Pick<Begun, 'client'>, token: string, changes: Headers = {}): Promise<Answer> {
    return this.ask('/token', {
      form: { grant_type: 'refresh_token', client_id: client, refresh_token: token, resource: RESOURCE, ...changes },
    })
  }

  /** Calls the server with a token and returns the status. */
  async ping(token: string): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    return (await this.ask('/mcp', { body, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } }))
      .status
  }

  async #listen(): Promise<void> {
    const { clients = ['claude.ai', 'chatgpt.com', 'vscode.dev', 'www.cursor.com', 'loopback'], documents = {} } = this.#options
    const { scopes = ['read', 'write', 'attach'], vaults = ['notes'], port, origin = ORIGIN } = this.#options
    const address = readPublicAddress(port === undefined ? origin : `http://127.0.0.1:${port}`)
    if (address === undefined) throw new Error('There is no address.')
    const reads: ReadDocument = async (url) => {
      const document = documents[url.href]
      if (document === undefined) throw new Error('the server answered 404')
      return JSON.stringify(document)
    }
    this.side = openSignIn({
      address,
      clients,
      stateFolder: this.state,
      allowedScopes: () => scopes,
      vaults: () => vaults,
      isToken: () => false,
      now: this.now,
      readDocument: this.#options.readDocument ?? reads,
    })
    this.http = await listening({ publicSide: this.side, hosts: [address.host], origins: [address.origin], port: port ?? 0 })
  }
}

export interface Begun {
  readonly client: string
  readonly verifier: string
  readonly page: Answer
  readonly address: string
  readonly query: string
}

export interface SignedIn extends Begun {
  readonly code: string
  readonly access: string
  readonly refresh: string
  readonly json: Json
}

/** Returns an unused port that the system does not assign to connections, so a server can restart at it. */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000)
  const listener = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    listener.once('error', () => resolve(false))
    listener.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => listener.close(resolve))
  return port
}

/** The headers that a browser sends with a form of the page itself. */
export const OWN_PAGE: Headers = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }

export function proof(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The fields of a page's form, as they are when a person has not touched them. */
export function filledIn({ text }: Pick<Answer, 'text'>): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {}
  for (const [tag] of text.matchAll(/<input [^>]*>/g)) {
    const part = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
    if (part('type') === 'checkbox' && !/ checked/.test(tag)) continue
    const values = found[part('name')] ?? []
    found[part('name')] = [...values, part('value')]
  }
  return found
}

/** The parameters of the address to which a browser is sent. */
export function parametersOf({ headers }: Pick<Answer, 'headers'>): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(String(headers.location)).searchParams)
}

function formText(form: NonNullable<Asked['form']>): string {
  const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as [string, string]))
  return new URLSearchParams(pairs).toString()
}
