import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import type { Account } from '../core/chat.ts'
import { RouxError } from '../core/errors.ts'
import type { AiState, ReserveRequest, TokenLimit } from './consent-ledger.ts'
import type { Expected, Meter, Ticket } from './http-client.ts'

export interface GateSettings {
  readonly allow_remote: boolean | readonly string[]
  /** The number of tokens per day, where 0 stands for no limit. */
  readonly budget: number | 'auto'
}

export interface GateParts {
  settings(): GateSettings
  /** Returns the ledger, which is opened at the first request. @throws RouxError `PROVIDER_ERROR` */
  state(): AiState
  /** Checks consent without creating the ledger file. */
  hasConsent(origin: string): boolean
  readonly resolve?: Resolve
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now?: () => number
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface Admission {
  readonly location: Location
  readonly origin: string
  /** The value is always true for local models. */
  readonly isAllowed: boolean
  readonly hasConsent: boolean
}

const DEFAULT_BUDGET = 200_000

/** Checks and records every request to a model server. No other code may send such a request. */
export class Gate {
  readonly #parts: GateParts
  readonly #now: () => number

  constructor(parts: GateParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  /** Checks permission without opening a connection. */
  async examine(place: Place): Promise<Admission> {
    const location = await locationOf(place, this.#parts.resolve)
    const origin = originOf(place.baseUrl)
    if (location === 'local') return { location, origin, isAllowed: true, hasConsent: true }
    return { location, origin, isAllowed: this.#isAllowed(origin), hasConsent: this.#parts.hasConsent(origin) }
  }

  /**
   * Admits requests to a model.
   * @throws RouxError `REMOTE_NOT_ALLOWED` with the missing setting or consent; `PROVIDER_ERROR` if Node uses a proxy
   */
  async admit(place: Place): Promise<{ readonly location: Location; meterFor(feature: string): Meter }> {
    refuseProxy(this.#parts.env ?? process.env)
    const { location, origin } = this.#require(await this.examine(place))
    const provider = new URL(origin).host
    const meterFor = (feature: string): Meter => {
      const account = { provider, model: place.model, feature, location }
      return { begin: (expected) => this.#begin(account, origin, expected) }
    }
    return { location, meterFor }
  }

  /** Returns the tokens used today and the limit, or `undefined` without a limit. */
  budget(location: Location): { readonly used: number; readonly limit: number; readonly reset: string } | undefined {
    const limit = this.#boundFor({ location, feature: 'ask' })
    if (limit === undefined) return undefined
    return { used: this.#parts.state().used(this.#today(), limit.isDefault), limit: limit.limit, reset: this.#reset() }
  }

  #begin(account: Account, origin: string, expected: Expected): Ticket {
    const { location } = account
    if (location === 'remote') {
      this.#require({ location, origin, isAllowed: this.#isAllowed(origin), hasConsent: this.#parts.hasConsent(origin) })
    }
    const limit = this.#boundFor(account)
    const reservation = this.#reserve(account, { expected, bound: limit, day: this.#today() })
    if (reservation === undefined) return { end: () => {} }
    const { state, reserved } = reservation
    if ('used' in reserved) throw this.#exceeded(reserved.used, limit?.limit ?? 0, expected)
    return { end: (usage) => state.settle(reserved, usage) }
  }

  /** Reserves tokens. Local requests without a limit proceed even if the ledger fails. */
  #reserve(
    account: Account,
    request: ReserveRequest,
  ): { readonly state: AiState; readonly reserved: ReturnType<AiState['reserve']> } | undefined {
    try {
      const state = this.#parts.state()
      return { state, reserved: state.reserve(account, request) }
    } catch (error) {
      if (account.location === 'local' && request.bound === undefined) return undefined
      throw error
    }
  }

  #require(admission: Admission): Admission {
    const { origin, isAllowed, hasConsent } = admission
    if (isAllowed && hasConsent) return admission
    const { host } = new URL(origin)
    const reasons = [
      ...(hasConsent ? [] : [`run "roux ai allow ${origin}"`]),
      ...(isAllowed ? [] : [`set ai.allow_remote to ["${host}"]`]),
    ]
    throw new RouxError(
      'REMOTE_NOT_ALLOWED',
      `${origin} is not on this computer, and nothing is sent there until you ${reasons.join(' and ')}.`,
      {
        hint: "Text of your notes would leave this computer. Allow this only if you trust the server's operator. See docs/ai.md for details.",
        // The error is transient, because the user may grant permission before a retry.
        isTransient: true,
      },
    )
  }

  #isAllowed(origin: string): boolean {
    const { allow_remote: allowedRemotes } = this.#parts.settings()
    if (typeof allowedRemotes === 'boolean') return allowedRemotes
    const { hostname, host } = new URL(origin)
    return allowedRemotes.includes(hostname) || allowedRemotes.includes(host)
  }

  #boundFor({ location, feature }: Pick<Account, 'location' | 'feature'>): TokenLimit | undefined {
    const { budget } = this.#parts.settings()
    if (budget === 0) return undefined
    if (budget !== 'auto') return { limit: Math.floor(budget), isDefault: false }
    return location === 'remote' && feature !== 'embed' ? { limit: DEFAULT_BUDGET, isDefault: true } : undefined
  }

  #exceeded(used: number, limit: number, expected: Expected): RouxError {
    const tokens = expected.input + expected.output
    return new RouxError(
      'BUDGET_EXCEEDED',
      `The daily token budget is used up: ${used} of ${limit} tokens are used today, and this request may use up to ${tokens} more. It resets at ${this.#reset()}.`,
      { hint: 'Raise ai.budget; "roux usage" shows where the tokens went.' },
    )
  }

  #today(): string {
    return new Date(this.#now()).toISOString().slice(0, 10)
  }

  /** Days are in UTC, because processes may use different time zones. */
  #reset(): string {
    return new Date(Date.parse(`${this.#today()}T00:00:00Z`) + 86_400_000).toISOString().replace('.000Z', 'Z')
  }
}

/** Throws if a proxy is in use, because even local requests and their API key would then leave this computer. */
function refuseProxy(env: Readonly<Record<string, string | undefined>>): void {
  // The options are normalized, because Node also accepts quoted ones, and `_` instead of `-`.
  const switchTexts = [...process.execArgv, ...(env.NODE_OPTIONS ?? '').replaceAll('"', '').split(/\s+/)]
  const switches = switchTexts.map((text) => text.replaceAll('_', '-'))
  const isOn = env.NODE_USE_ENV_PROXY === '1' || switches.includes('--use-env-proxy')
  if (!isOn) return
  throw new RouxError(
    'PROVIDER_ERROR',
    'Node is configured to use a proxy (NODE_USE_ENV_PROXY), but Roux never contacts a model through a proxy.',
    {
      hint: 'Start Roux without NODE_USE_ENV_PROXY or --use-env-proxy.',
    },
  )
}

/** The location of a model. Its input leaves this computer only if the location is `remote`. */
export type Location = 'local' | 'remote'

export type Resolve = (name: string) => Promise<readonly string[]>

export interface Place {
  readonly baseUrl: string
  readonly model: string
}

/**
 * Returns the location. A model is local if its server has a loopback address and does not forward requests. The local network,
 * `0.0.0.0` and names other than `localhost` are remote.
 */
export async function locationOf({ baseUrl, model }: Place, resolve: Resolve = addressesOf): Promise<Location> {
  // Ollama runs models such as `gpt-oss:120b-cloud` and `glm-4.6:cloud` on its own servers.
  if (/[-:]cloud$/i.test(model.trim())) return 'remote'
  const { hostname } = new URL(baseUrl)
  if (hostname !== 'localhost') return isLoopback(hostname) ? 'local' : 'remote'
  const addresses = await resolve(hostname).catch(() => [])
  return addresses.length > 0 && addresses.every((address) => isLoopback(address.includes(':') ? `[${address}]` : address))
    ? 'local'
    : 'remote'
}

/** Returns the origin to which consent applies, such as `https://api.openai.com`. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

/** Returns true for a loopback address. `host` must come from `URL`: four decimal numbers, or compressed IPv6 in brackets. */
function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  if (host === '[::1]') return true
  const [, high] = /^\[::ffff:(?:([0-9a-f]{1,4}):[0-9a-f]{1,4}|127\.\d+\.\d+\.\d+)\]$/.exec(host) ?? [undefined, 'none']
  if (high === 'none') return false
  return high === undefined || Number.parseInt(high, 16) >> 8 === 127
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
