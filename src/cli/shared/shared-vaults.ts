import type { GraphCore } from '../../app/graph-core.ts'
import type { OpenOptions, SharedParts } from '../../compose/index.ts'
import { realFolder } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import type { Indexing } from '../../core/indexing.ts'
import { inTime, once } from '../../core/waiting.ts'
import type { SharedStatus } from '../../relay/connect.ts'
import type { Composition } from '../host.ts'

interface SharedVault {
  readonly folder: string
  readonly core: Promise<GraphCore>
  users: number
  closing?: NodeJS.Timeout
}

export interface VaultUser {
  /** Milliseconds that a vault stays open after its last connection. */
  keep(): number
  /** A callback for a changed setting that requires reopening the vault. */
  onOutdated(): void
}

/** The vaults of the shared server. Connections with equal settings share one open vault, but each has its own permissions. */
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

  compositionFor(user: VaultUser): Composition {
    return { ...this.#composition, openCore: (settings, options) => this.#use(settings, options, user) }
  }

  list(): SharedStatus['vaults'] {
    return [...this.#open.values()].map(({ folder, users }) => ({ vault: folder, connections: users }))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#close(key)))
    await this.#parts.close()
  }

  async #close(key: string): Promise<void> {
    const vault = this.#open.get(key)
    this.#open.delete(key)
    await vault?.core.then((core) => core.close()).catch((error: unknown) => this.#log(String(error)))
  }

  async #use(settings: Settings, options: OpenOptions, user: VaultUser): Promise<GraphCore> {
    const ai = options.ai?.() ?? settings.ai
    const folder = realFolder(settings.vault.path)
    const { tools: _t, mcp: _m, answers: _a, http: _h, serve: _s, vaults: _v, ...shaping } = settings
    const shape = { ...shaping, ai, vault: { ...settings.vault, path: folder } }
    const key = JSON.stringify([shape, options.name, options.apiKey, options.aiKey])
    const vault = this.#open.get(key) ?? this.#openVault(key, { ...settings, ai }, options)
    clearTimeout(vault.closing)
    vault.users++
    const core = await vault.core
    options.onAiChange?.(() => {
      if (JSON.stringify(options.ai?.()) !== JSON.stringify(ai)) user.onOutdated()
    })
    const leave = once(() => {
      vault.users--
      if (vault.users === 0) vault.closing = setTimeout(() => void this.#close(key), user.keep()).unref()
    })
    return viewOf(core, settings, options, leave)
  }

  #openVault(key: string, settings: Settings, options: OpenOptions): SharedVault {
    const { ai: _a, onAiChange: _o, onBegin: _b, onDownload: _d, ...rest } = options
    const core = this.#composition.openCore(settings, {
      ...rest,
      watch: true,
      shared: this.#parts,
      onError: this.#log,
      // Everything is permitted here, because each connection's view checks its own permissions.
      permits: () => ({ write: true, attach: true }),
    })
    const vault: SharedVault = { folder: settings.vault.path, core, users: 0 }
    this.#open.set(key, vault)
    core.catch(() => this.#open.delete(key))
    return vault
  }
}

function viewOf(core: GraphCore, settings: Settings, options: OpenOptions, onClose: () => void): GraphCore {
  const permits = options.permits ?? (() => settings.tools)
  return overlaid<GraphCore>(core, {
    root: settings.vault.path,
    indexing: indexingOf(core, options),
    get writing() {
      const { write, attach } = permits()
      return write === true || attach === true ? core.writing : undefined
    },
    get files() {
      return permits().attach === true ? core.files : undefined
    },
    close: async () => onClose(),
  })
}

function indexingOf({ indexing }: GraphCore, { watch, onBegin = () => {} }: OpenOptions): Indexing {
  const begin = once(() => {
    indexing.begin()
    onBegin()
  })
  // The index is updated first, because a command must see all earlier changes to files.
  const ready: Indexing['ready'] = async (timeout, signal) => {
    const isReady = await indexing.ready(timeout, signal)
    // Errors are ignored here, because the status reports them.
    await inTime(indexing.awaitUpToDate(), timeout, signal).catch(() => {})
    return isReady
  }
  return overlaid(indexing, { begin, ...(watch ? {} : { ready }) })
}

/** Returns a view of an object with some members replaced. Unlike object spread, it supports instances with private members. */
export function overlaid<T extends object>(base: T, overrides: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return new Proxy(base, {
    get(_target, key) {
      const from: object = key in overrides ? overrides : base
      const value: unknown = Reflect.get(from, key)
      return typeof value === 'function' ? value.bind(from) : value
    },
  })
}
