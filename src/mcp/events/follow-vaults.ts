import type { GraphCore } from '../../app/graph-core.ts'
import { trimFolder } from '../../app/scope.ts'
import type { Vaults } from '../../app/vaults.ts'
import { foldId, toNodeId } from '../../core/ids.ts'
import { type IndexStatus, SETTLED } from '../../core/indexing.ts'
import { RESOURCES } from '../resources/resources.ts'
import type { ServerEvents } from './events.ts'

export interface FollowedVaults extends Vaults {
  stop(): void
}

export function followVaults(vaults: Vaults, events: ServerEvents, promptsFolder: () => string): FollowedVaults {
  const stops = new Map<GraphCore, () => void>()
  let isStopped = false
  return {
    names: vaults.names,
    async open(name) {
      const core = await vaults.open(name)
      if (!stops.has(core) && !isStopped) stops.set(core, followVault(core, events, promptsFolder))
      return core
    },
    stop() {
      isStopped = true
      for (const stop of stops.values()) stop()
    },
  }
}

/** Changes are collected for this many milliseconds. A checkout of a thousand files causes a single notification. */
const GATHER_MS = 200

/** Reports changes of notes, computed resources and prompts, and the state of the vault. @returns a function that stops it */
export function followVault(core: GraphCore, events: ServerEvents, promptsFolder: () => string): () => void {
  const { name: vault } = core
  const changed = new Set<string>()
  let isNew = false
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    timer = undefined
    const ids = [...changed]
    changed.clear()
    events.filesUpdated(isNew ? 'all' : ids, vault)
    for (const { name } of RESOURCES) events.publish({ kind: 'resource_updated', uri: `roux://${name}`, vault })
    if (isNew || holdsAny(promptsFolder(), ids, vault)) events.publish({ kind: 'prompts_list_changed', vault })
    isNew = false
  }
  const gather = (ids: readonly string[]) => {
    for (const id of ids) changed.add(id)
    timer ??= setTimeout(report, GATHER_MS).unref()
  }
  let phase = core.indexing.status().phase
  let stopChanges: (() => void) | undefined
  const listen = () => {
    stopChanges ??= core.store.onChange(({ ids }) => gather(ids))
  }
  const announce = (before: IndexStatus['phase'], status: IndexStatus) => {
    const message = eventsFor(before, status, vault)
    if (message !== undefined) events.say({ level: 'warning', text: message, vault })
  }
  if (SETTLED.has(phase)) listen()
  // If another client opened the vault, it may already have failed or be missing.
  announce('waiting', core.indexing.status())
  const stopStatus = core.indexing.onStatus((status) => {
    // The first scan reports every note as new, so report the whole vault once instead.
    if (stopChanges === undefined && SETTLED.has(status.phase)) {
      listen()
      isNew = true
    }
    if (status.phase === phase) return
    announce(phase, status)
    phase = status.phase
    gather([])
  })
  return () => {
    clearTimeout(timer)
    stopChanges?.()
    stopStatus()
  }
}

function holdsAny(folder: string, ids: readonly string[], vault: string | undefined): boolean {
  const folded = foldId(trimFolder(folder))
  const prefix = toNodeId(`${folded}/`, vault)
  return folded !== '' && ids.some((id) => foldId(id).startsWith(prefix))
}

function eventsFor(
  before: IndexStatus['phase'],
  { phase, message = 'the reason is unknown' }: IndexStatus,
  name?: string,
): string | undefined {
  const vault = name === undefined ? 'The vault' : `The vault ${name}`
  if (phase === 'missing') return `${vault} is missing or cannot be read; answers resume when it is back.`
  if (phase === 'failed') return `Indexing${name === undefined ? '' : ` of ${name}`} stopped: ${message}.`
  if (phase === 'restarting') return `${vault} is served from its last good state for now: ${message}.`
  return before === 'missing' ? `${vault} is back.` : undefined
}
