import type { GraphCore } from '../app/graph-core.ts'
import { trimFolder } from '../app/scope.ts'
import { foldId } from '../core/ids.ts'
import type { IndexStatus } from '../core/indexing.ts'
import type { ServerEvents } from './events.ts'
import { RESOURCES } from './resources/index.ts'
import { resourceUri } from './resources/resource-uri.ts'

/** How long changes are gathered before clients are told, ms: a checkout of a thousand files is told of once. */
const GATHER_MS = 200

/**
 * Tells of what changes in a vault: of every note that did, of the resources that rest on all of them, of prompts in `promptsFolder`,
 * and of an index that fails or a vault that goes and comes. Returns how to stop.
 */
export function followVault(core: GraphCore, events: ServerEvents, promptsFolder: () => string): () => void {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    timer = undefined
    const ids = [...changed]
    changed.clear()
    for (const id of ids) for (const kind of ['node', 'attachment'] as const) events.resourceUpdated(resourceUri(kind, id))
    for (const { name } of RESOURCES) events.resourceUpdated(`roux://${name}`)
    if (holdsAny(promptsFolder(), ids)) events.promptsChanged()
  }
  const gather = (ids: readonly string[]) => {
    for (const id of ids) changed.add(id)
    timer ??= setTimeout(tell, GATHER_MS).unref()
  }
  let phase = core.indexing.status().phase
  const stopChanges = core.store.onChange(({ ids }) => gather(ids))
  const stopStatus = core.indexing.onStatus((status) => {
    if (status.phase === phase) return
    sayWhatHappened(events, phase, status)
    phase = status.phase
    gather([])
  })
  return () => {
    clearTimeout(timer)
    stopChanges()
    stopStatus()
  }
}

function holdsAny(folder: string, ids: readonly string[]): boolean {
  const prefix = `${foldId(trimFolder(folder))}/`
  return (
    prefix !== '/' &&
    ids.some((id) =>
      foldId(id)
        .replace(/^[^/:]*:/, '')
        .startsWith(prefix),
    )
  )
}

function sayWhatHappened(events: ServerEvents, before: IndexStatus['phase'], { phase, message }: IndexStatus): void {
  if (phase === 'missing') events.say('warning', 'The vault is missing or cannot be read; answers come again when it is back.')
  else if (phase === 'failed') events.say('warning', `Indexing stopped: ${message ?? 'for no known reason'}.`)
  else if (before === 'missing') events.say('warning', 'The vault is back.')
}
