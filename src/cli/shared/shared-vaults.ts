import type { GraphCore } from '../../app/graph-core.ts'
import type { OpenOptions, SharedParts } from '../../compose/index.ts'
import { realFolder } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import type { Indexing } from '../../core/indexing.ts'
import { inTime } from '../../core/waiting/aborting.ts'
import { once } from '../../core/waiting/once.ts'
import type { Composition } from '../host.ts'

/** An open vault and the connections that use it. */
interface SharedVault {
  readonly folder: string
  readonly core: Promise<GraphCore>
  readonly users: Set<GraphCore>
  closing?: NodeJS.Timeout
}

/** Choices of a connection about the vaults that it opens. */
export interface VaultUser {
  /** Milliseconds that a vault stays open after its last user. */
  keep(): number
  /** Called if a setting has changed that a shared vault cannot follow. */
  onOutdated(): void
}

/**
 * Opens each vault once for all connections whose settings are equal, apart from those that do not shape an open vault. Each
 * connection gets a view of it with its own rights.
 */
export class SharedVaults {
  readonly #composition: Composition
  readonly #parts: SharedParts
  readonly #open = new Map<string, SharedVault>()
  readonly #log: (line: string) => void

  constructor(composition: Composition, log: (line: string) => void) {
    this.#composition = composition
    this.#parts = composition.shareParts()
    this.#log = log
  }

  /** Returns what a connection opens vaults with. */
  compositionFor(user: VaultUser): Composition {
    return {
      ...this.#composition,
      openCore: (settings, options) => this.#use(settings, options, user),
      shareParts: () => ({ ...this.#parts, close: async () => {} }),
    }
  }

  /** Returns the folders of the open vaults with the number of their users. */
  list(): readonly { readonly vault: string; readonly connections: number }[] {
    return [...this.#open.values()].map(({ folder, users }) => ({ vault: folder, connections: users.size }))
  }

  async close(): Promise<void> {
    const cores = [...this.#open.values()].map(({ core }) => core)
    this.#open.clear()
    await Promise.all(cores.map((core) => core.then((one) => one.close()).catch(() => {})))
    await this.#parts.close()
  }

  async #use(settings: Settings, options: OpenOptions, user: VaultUser): Promise<GraphCore> {
    const ai = options.ai?.() ?? settings.ai
    const folder = realFolder(settings.vault.path)
    const { tools: _t, mcp: _m, answers: _a, http: _h, serve: _s, vaults: _v, ...shaping } = settings
    const shape = { ...shaping, ai, vault: { ...settings.vault, path: folder } }
    const key = JSON.stringify([shape, options.name, options.apiKey, options.aiKey])
    const vault = this.#open.get(key) ?? this.#openVault(key, { ...settings, ai }, options)
    clearTimeout(vault.closing)
    const core = await vault.core
    options.onAiChange?.(() => {
      if (JSON.stringify(options.ai?.()) !== JSON.stringify(ai)) user.onOutdated()
    })
    const view = viewOf(core, settings, options, () => {
      vault.users.delete(view)
      if (vault.users.size > 0 || this.#open.get(key) !== vault) return
      vault.closing = setTimeout(() => {
        this.#open.delete(key)
        core.close().catch((error: unknown) => this.#log(String(error)))
      }, user.keep()).unref()
    })
    clearTimeout(vault.closing)
    vault.users.add(view)
    return view
  }

  #openVault(key: string, settings: Settings, { name, apiKey, aiKey }: OpenOptions): SharedVault {
    const core = this.#composition.openCore(settings, {
      watch: true,
      shared: this.#parts,
      onError: this.#log,
      // Rights belong to the views.
      permits: () => ({ write: true, attach: true }),
      ...(name === undefined ? {} : { name }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(aiKey === undefined ? {} : { aiKey }),
    })
    const vault: SharedVault = { folder: settings.vault.path, core, users: new Set() }
    this.#open.set(key, vault)
    core.catch(() => this.#open.delete(key))
    return vault
  }
}

/** Returns an open vault as one connection sees it. Closing it leaves the vault open. */
function viewOf(core: GraphCore, settings: Settings, options: OpenOptions, onClose: () => void): GraphCore {
  const permits = options.permits ?? (() => settings.tools)
  const { indexing } = core
  const view: Partial<GraphCore> = {
    root: settings.vault.path,
    indexing: options.watch ? begunBy(indexing, options.onBegin) : upToDate(indexing),
    get writing() {
      const { write, attach } = permits()
      return write === true || attach === true ? core.writing : undefined
    },
    get files() {
      return permits().attach === true ? core.files : undefined
    },
    close: async () => onClose(),
  }
  const parts = { ...Object.getOwnPropertyDescriptors(core), ...Object.getOwnPropertyDescriptors(view) }
  return Object.defineProperties({}, parts) as GraphCore
}

/** Indexing that tells a connection of its own first request. */
function begunBy(indexing: Indexing, onBegin: () => void = () => {}): Indexing {
  const tell = once(onBegin)
  return {
    ...delegated(indexing),
    begin() {
      indexing.begin()
      void tell()
    },
  }
}

/** Indexing for a command, which sees every change made before it, as a process that compares all files does. */
function upToDate(indexing: Indexing): Indexing {
  return {
    ...delegated(indexing),
    async ready(timeout, signal) {
      const isReady = await indexing.ready(timeout, signal)
      // The status tells why files cannot be compared.
      await inTime(indexing.current(), timeout, signal).catch(() => {})
      return isReady
    },
  }
}

function delegated(indexing: Indexing): Indexing {
  return {
    status: () => indexing.status(),
    begin: () => indexing.begin(),
    ready: (timeout, signal) => indexing.ready(timeout, signal),
    findable: (by, timeout, signal) => indexing.findable(by, timeout, signal),
    isBehind: () => indexing.isBehind(),
    current: () => indexing.current(),
    caughtUp: (timeout, signal) => indexing.caughtUp(timeout, signal),
    reconcile: (paths) => indexing.reconcile(paths),
    onStatus: (listener) => indexing.onStatus(listener),
    // The vault stays open for others.
    close: async () => {},
  }
}
