import type { GraphCore } from '../../app/graph-core.ts'
import type { Vaults } from '../../app/vaults.ts'
import type { ServerEvents } from './events.ts'

export interface FollowedVaults extends Vaults {
  stop(): void
}

/** Wraps vaults so that their changes are reported through `events` once they are open. */
export function followVaults(vaults: Vaults, events: ServerEvents, promptsFolder: () => string): FollowedVaults {
  const stops = new Map<GraphCore, () => void>()
  let isStopped = false
  return {
    names: vaults.names,
    async open(name) {
      const core = await vaults.open(name)
      if (stops.has(core) || isStopped) return core
      stops.set(core, () => {})
      // Imported late, because a client that only initializes never opens a vault.
      const { followVault } = await import('./follow-vault.ts')
      if (!isStopped) stops.set(core, followVault(core, events, promptsFolder))
      return core
    },
    stop() {
      isStopped = true
      for (const stop of stops.values()) stop()
    },
  }
}
