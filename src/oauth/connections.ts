import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { quietly } from '../core/quietly.ts'
import { type Principal, type Scope, versionOf } from '../http/tokens.ts'
import {
  CONNECTION,
  type Connection,
  connectionOf,
  type Grant,
  isUsable,
  newConnection,
  type Pair,
  type Step,
} from './connection.ts'
import { changeJson, digestText, readJson, type Signer } from './state-files.ts'

/** A folder can change again within this many milliseconds without a new modification time. */
const UNSETTLED_MS = 100

const MAX_CONNECTIONS = 100

interface StoredConnection {
  readonly version: string
  readonly connection: Connection
  readonly key: string
}

export interface GrantedTokens {
  readonly pair: Pair
  readonly scopes: readonly Scope[]
}

type TakeStep = (connection: Connection) => Step

export interface ConnectionsOptions {
  readonly folder: string
  readonly signer: Signer
  now(): number
}

/** The connections, which all servers of this user share. Changes by other processes are noticed on the next call. */
export class Connections {
  readonly #options: ConnectionsOptions
  #version: string | undefined
  #stored: ReadonlyMap<string, StoredConnection> = new Map()
  /** The connections by digest of the access token. */
  #byAccess: ReadonlyMap<string, StoredConnection> = new Map()

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** Finds the owner of an access token. The token must be for this resource. */
  find(secret: string, resource: string): Principal | undefined {
    this.#refresh()
    const digest = digestText(secret)
    const stored = this.#byAccess.get(digest)
    if (stored === undefined) return undefined
    const { connection, key } = stored
    const now = this.#options.now()
    const isAlive = connection.access.some((token) => token.digest === digest && token.until > now)
    if (!isAlive || connection.resource !== resource || !isUsable(connection, now)) return undefined
    const { name, scopes, vaults } = connection
    return { key, access: { name, scopes: new Set(scopes), vaults, isConnection: true } }
  }

  isCurrent(key: string): boolean {
    this.#refresh()
    const now = this.#options.now()
    return [...this.#stored.values()].some((stored) => stored.key === key && isUsable(stored.connection, now))
  }

  /**
   * Adds a connection under a free name similar to the given one.
   * @returns the authorization code, or `undefined` if there are too many connections
   */
  add(grant: Grant, isTaken: (name: string) => boolean): string | undefined {
    const { folder, now } = this.#options
    this.#removeEnded()
    if (this.#stored.size >= MAX_CONNECTIONS) return undefined
    for (let count = 1; ; count++) {
      const name = count === 1 ? grant.name : `${grant.name}-${count}`
      if (this.#stored.has(name) || isTaken(name)) continue
      const { connection, code } = newConnection({ ...grant, name }, now())
      let isAdded = false
      changeJson(fileOf(folder, name), (before) => {
        isAdded = before === undefined
        return isAdded ? connection : before
      })
      if (isAdded) return code
    }
  }

  withCode(code: string, step: TakeStep): GrantedTokens | undefined {
    const digest = digestText(code)
    return this.#step((connection) => connection.code.digest === digest, step)
  }

  /** Runs a step for the connection of a refresh token, even if the token was rotated long ago. */
  withRefresh(token: string, step: TakeStep): GrantedTokens | undefined {
    const id = connectionOf(token, this.#options.signer)
    return this.#step((connection) => connection.id === id, step)
  }

  /** Runs a step for the connection of an access token, even if the token has expired. */
  withAccess(token: string, step: TakeStep): void {
    const digest = digestText(token)
    this.#step(({ access }) => access.some((token) => token.digest === digest), step)
  }

  #step(isIt: (connection: Connection) => boolean, step: TakeStep): GrantedTokens | undefined {
    this.#refresh()
    const stored = [...this.#stored.values()].find(({ connection }) => isIt(connection))
    if (stored === undefined) return undefined
    let granted: GrantedTokens | undefined
    changeJson(fileOf(this.#options.folder, stored.connection.name), (before) => {
      const now = CONNECTION.safeParse(before)
      // Another process may have removed the connection or reused its name.
      if (!now.success || now.data.id !== stored.connection.id) return before
      const { after, pair } = step(now.data)
      granted = pair && { pair, scopes: now.data.scopes }
      return after === now.data ? before : after
    })
    this.#version = undefined
    return granted
  }

  #removeEnded(): void {
    this.#refresh()
    const now = this.#options.now()
    for (const { connection } of this.#stored.values()) {
      if (!isUsable(connection, now)) rmSync(fileOf(this.#options.folder, connection.name), { force: true })
    }
    this.#version = undefined
    this.#refresh()
  }

  #refresh(): void {
    const { folder } = this.#options
    const version = versionOf(folder)
    if (version === this.#version) return
    // Modification times have a resolution of a few milliseconds, so do not trust a new version yet.
    this.#version = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > UNSETTLED_MS ? version : undefined
    const stored = readConnections(folder, this.#stored)
    this.#stored = stored
    this.#byAccess = new Map(
      [...stored.values()].flatMap((entry) => entry.connection.access.map(({ digest }) => [digest, entry] as const)),
    )
  }
}

/** Lists the connections, including those whose code has not been redeemed yet. */
export function listConnections(folder: string, now = Date.now()): readonly Connection[] {
  const all = [...readConnections(folder, new Map()).values()].map(({ connection }) => connection)
  return all.filter((connection) => isUsable(connection, now))
}

/** @returns false if no connection has this name */
export function removeConnection(folder: string, name: string): boolean {
  let exists = false
  if (!readConnections(folder, new Map()).has(name)) return false
  changeJson(fileOf(folder, name), (before) => {
    exists = before !== undefined
    return undefined
  })
  return exists
}

function readConnections(folder: string, known: ReadonlyMap<string, StoredConnection>): ReadonlyMap<string, StoredConnection> {
  const stored = new Map<string, StoredConnection>()
  for (const file of quietly(() => readdirSync(folder)) ?? []) {
    if (!file.endsWith(ENDING)) continue
    const path = join(folder, file)
    const version = versionOf(path)
    const name = file.slice(0, -ENDING.length)
    const before = known.get(name)
    if (before !== undefined && before.version === version) stored.set(name, before)
    else {
      // A damaged file grants no access, but its owner can still inspect it.
      const { success, data } = CONNECTION.safeParse(readJson(path))
      if (success && data.name === name) stored.set(name, { version, connection: data, key: keyOf(data) })
    }
  }
  return stored
}

const ENDING = '.json'

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}${ENDING}`)
}

/** All tokens of a connection share this key, so sessions survive a refresh. */
function keyOf({ name, id, scopes, vaults }: Connection): string {
  return JSON.stringify(['connection', name, id, scopes, vaults])
}
