import { timingSafeEqual } from 'node:crypto'
import { RouxError } from '../core/errors.ts'
import type { Access } from './access.ts'
import { closeToOthers, readTokens, versionOf } from './token-file.ts'
import { accessOf, digestOf, type Token } from './tokens.ts'

/** The bearer of a known token. */
export interface Principal {
  readonly access: Access
  /** Differs as soon as the token has another secret or may do anything else. */
  readonly key: string
}

interface Known extends Principal {
  readonly digest: Buffer
}

/** Knows the principals by their tokens; a change of the file counts from the next question on. */
export class TokenGate {
  readonly #path: string
  readonly #warn: (message: string) => void
  #version: string | undefined
  #known: readonly Known[] = []
  #fault: RouxError | undefined

  /** `path` is the tokens' file; `warn` takes what its owner should know. */
  constructor(path: string, warn: (message: string) => void) {
    this.#path = path
    this.#warn = warn
  }

  /** Why nobody is accepted: the file cannot be read. */
  get fault(): RouxError | undefined {
    this.#refresh()
    return this.#fault
  }

  /** The principal of a secret; `undefined` when it is of no token. */
  find(secret: string): Principal | undefined {
    this.#refresh()
    const digest = digestOf(secret)
    let found: Known | undefined
    // Compares every token, so the time reveals neither which one matched nor how closely.
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found = known
    return found
  }

  /** Whether a principal still has the same rights. */
  isCurrent(key: string): boolean {
    this.#refresh()
    return this.#known.some((known) => known.key === key)
  }

  #refresh(): void {
    const version = versionOf(this.#path)
    if (version === this.#version) return
    // Before anything can fail: a failure is reported once for each change of the file, not with every request.
    this.#version = version
    try {
      const warning = closeToOthers(this.#path)
      if (warning !== undefined) this.#warn(warning)
      // Closing the file changed it. Before reading: what is written meanwhile differs from this, and is read next time.
      this.#version = versionOf(this.#path)
      this.#known = (readTokens(this.#path) ?? []).map(toKnown)
      this.#fault = undefined
    } catch (error) {
      if (!(error instanceof RouxError)) throw error
      this.#known = []
      this.#fault = error
      this.#warn(`${error.message} No one is let in.`)
    }
  }
}

function toKnown(token: Token): Known {
  const digest = digestOf(token.secret)
  const { name, scopes, vaults } = token
  return { access: accessOf(token), digest, key: JSON.stringify([name, digest.toString('base64'), scopes, vaults]) }
}
