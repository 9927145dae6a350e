import { setTimeout as pause } from 'node:timers/promises'
import type { GraphCore } from '../../app/graph-core.ts'
import { type Vaults, vaultsOnDemand } from '../../app/vaults.ts'
import type { OpenOptions, SharedParts } from '../../compose/index.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import type { Host } from '../host.ts'

export interface ServedVaults extends Vaults {
  aiChanged(): void
  /** Closes the vaults by a deadline in `performance.now()` time. */
  close(by: number): Promise<void>
}

// The time to close in milliseconds. Indexing stops after the current batch, but clients do not wait longer than this.
const CLOSE_MS = 2_000

interface ServingCallbacks extends Required<Pick<OpenOptions, 'onError' | 'permits' | 'onBegin'>> {
  ai(vault: LoadedVault): Settings['ai']
}

/** Serves vaults that are opened on demand, so `initialize` alone reads nothing. */
export function serveVaults(
  host: Host,
  vaults: readonly LoadedVault[],
  { onBegin: tellBegun, ai, ...options }: ServingCallbacks,
): ServedVaults {
  const listeners: (() => void)[] = []
  const cores: Promise<GraphCore>[] = []
  let shared: SharedParts | undefined
  const names = vaults.flatMap(({ name }) => name ?? [])
  const openOnce = (name: string | undefined): Promise<GraphCore> => {
    const opening = open(name)
    cores.push(opening)
    if (hasBegun) begin(opening)
    return opening
  }
  const onDemand = vaultsOnDemand(names, openOnce, folderIn(vaults))
  // True once all vaults must be kept up to date.
  let hasBegun = false
  const onBegin = (): void => {
    if (hasBegun) return
    hasBegun = true
    tellBegun()
    for (const opening of cores) begin(opening)
  }
  async function open(name: string | undefined): Promise<GraphCore> {
    const vault = vaults.find((candidate) => candidate.name === name)
    if (vault === undefined) throw new Error(`There is no vault ${name}.`)
    const { openCore, shareParts } = await host.compose()
    if (vaults.length > 1) shared ??= shareParts()
    const current = { ai: () => ai(vault), onAiChange: (listener: () => void) => void listeners.push(listener) }
    return openCore(vault.settings, { ...vault, watch: true, ...options, ...current, onBegin, shared })
  }
  return {
    ...onDemand,
    aiChanged() {
      for (const listener of listeners) listener()
    },
    async close(by) {
      const closing = Promise.all(cores.map((opening) => opening.then((core) => core.close()).catch(() => {})))
      const timeLimit = pause(Math.min(CLOSE_MS, by - performance.now()), undefined, { ref: false })
      await Promise.race([closing.then(() => shared?.close()), timeLimit])
    },
  }
}

export function folderIn(vaults: readonly LoadedVault[]): (name: string) => string | undefined {
  return (name) => vaults.find((vault) => vault.name === name)?.settings.vault.path
}

function begin(opening: Promise<GraphCore>): void {
  opening.then(
    (core) => core.indexing.begin(),
    // Errors are ignored here, because the call that needs the vault reports them.
    () => {},
  )
}
