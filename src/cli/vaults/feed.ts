import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphCore } from '../../app/graph-core.ts'
import type { FeederLease } from '../../compose/index.ts'
import { type LoadedVault, loadVaults } from '../../config/load-vaults.ts'
import { isTransient, RouxError } from '../../core/errors.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import type { Progress } from '../../core/search.ts'
import { UsageError } from '../host.ts'
import { type Invocation, requireFolders, requireVaults, settingsInput } from '../session.ts'

/** The interval of lease renewals and retries, in milliseconds. */
const HEARTBEAT = 4_000
const POLL_INTERVAL = 1_000
/** The pause between computations, as a multiple of the computation time. */
const PAUSE_FACTOR = 5
/** The time without a response from the database, in milliseconds, after which another feeder may take over. */
const SILENCE_TIMEOUT = 12_000

export async function run(called: Invocation): Promise<number> {
  const invocation: Invocation = { ...called, options: new Map([...called.options, ['store', 'neo4j']]) }
  if (invocation.options.get('remove') === true) return await remove(invocation)
  const vaults = await vaultsOf(invocation)
  const stopped = new AbortController()
  invocation.host.onSignal(() => stopped.abort())
  await Promise.all(vaults.map((vault) => feed(invocation, vault, stopped.signal)))
  return 0
}

async function vaultsOf(invocation: Invocation): Promise<readonly LoadedVault[]> {
  const { positionals } = invocation
  const vaultNames: readonly (string | undefined)[] = positionals.length === 0 ? [undefined] : positionals
  const loaded = await Promise.all(vaultNames.map((name) => requireVaults(invocation, name)))
  const vaults = loaded.flatMap((loadedVaults) => loadedVaults.vaults)
  requireFolders(vaults, 'feed')
  return vaults
}

async function remove(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  if (positionals.length === 0) throw new UsageError('No vault was specified.', 'Run: roux feed --remove <name>')
  const { removeFed } = await host.compose()
  for (const name of positionals) {
    const { server } = await loadVaults(settingsInput(invocation))
    await removeFed(server.settings, { ...server, name })
    printer.note(`Removed the data of "${name}".`)
  }
  return 0
}

async function feed({ host, printer }: Invocation, vault: LoadedVault, signal: AbortSignal): Promise<void> {
  const { openFeederLease } = await host.compose()
  const label = vault.name ?? vault.settings.vault.path
  const note = withoutRepeats((line) => printer.note(`${label}: ${line}`))
  const lease = await openFeederLease(vault.settings, vault)
  let waitsFor: string | undefined
  try {
    while (!signal.aborted) {
      const state = await takeLease(lease, note, signal)
      if (state?.isHeld === true) {
        waitsFor = undefined
        await feedWhileHeld({ host, vault, lease, say: note }, signal)
      } else {
        if (state !== undefined && state.holder !== waitsFor) note(`fed by ${state.holder}; waiting to take over.`)
        waitsFor = state?.holder
        await pause(POLL_INTERVAL, signal)
      }
    }
  } finally {
    await lease.release().catch(() => {})
    await lease.close()
  }
}

/** Returns a function that reports a long database outage only once. */
export function withoutRepeats(write: (line: string) => void): (line: string) => void {
  let last: string | undefined
  return (line) => {
    if (line !== last) write(line)
    last = line
  }
}

async function takeLease(lease: FeederLease, note: (line: string) => void, signal: AbortSignal) {
  try {
    return await lease.take()
  } catch (error) {
    if (!isTransient(error)) throw error
    note(`${(error as Error).message} Retrying.`)
    await pause(HEARTBEAT, signal)
    return undefined
  }
}

/** Returns true if the index is complete. Vectors count only if there is a working embedder. */
export function isUpToDate({ phase, search }: IndexStatus, hasEmbedder: boolean): boolean {
  const isDone = (progress: Progress | undefined): boolean => progress !== undefined && progress.done >= progress.total
  if (phase !== 'idle' || search?.isStopped === true || !isDone(search?.words)) return false
  return !hasEmbedder || search?.message !== undefined || isDone(search?.vectors)
}

interface Feeding {
  readonly host: Invocation['host']
  readonly vault: LoadedVault
  readonly lease: FeederLease
  readonly say: (line: string) => void
}

async function feedWhileHeld({ host, vault, lease, say }: Feeding, signal: AbortSignal): Promise<void> {
  const { openCore } = await host.compose()
  say('feeding.')
  const core = await openCore(vault.settings, { ...vault, watch: true, onError: say })
  const stop = core.indexing.onStatus((status) => {
    const { phase, message } = status
    if (isUpToDate(status, core.embedding !== undefined)) say('up to date.')
    else if (phase === 'failed' || phase === 'missing') say(`${message}`)
  })
  const computeWhole = wholeVaultOf(core)
  try {
    core.indexing.begin()
    for (let lastAnswer = performance.now(); !signal.aborted; ) {
      await pause(HEARTBEAT, signal)
      const state = await lease.take().catch((error: unknown) => {
        if (!(error instanceof RouxError) || performance.now() - lastAnswer > SILENCE_TIMEOUT) throw error
        return undefined
      })
      if (state?.isHeld === false) {
        say(`taken over by ${state.holder}.`)
        return
      }
      if (state !== undefined) lastAnswer = performance.now()
      const { phase, search } = core.indexing.status()
      // Work that stopped when the database did not respond is restarted.
      if (state !== undefined && (phase === 'failed' || search?.isStopped === true)) return
      if (phase === 'idle') computeWhole()
    }
  } catch (error) {
    if (!isTransient(error)) throw error
    say(`${(error as Error).message} Retrying.`)
  } finally {
    stop()
    await core.close()
  }
}

/** Computes communities and rankings for each generation. Read-only servers use these results. */
function wholeVaultOf({ rankings, updateInsights }: Pick<GraphCore, 'rankings' | 'updateInsights'>): () => void {
  let isRunning = false
  let restsUntil = 0
  const run = async (): Promise<void> => {
    const startedAt = performance.now()
    try {
      await rankings.update('pagerank')
      await rankings.update('betweenness')
      await updateInsights?.()
    } finally {
      const endedAt = performance.now()
      restsUntil = endedAt + PAUSE_FACTOR * (endedAt - startedAt)
    }
  }
  return () => {
    if (isRunning || performance.now() < restsUntil) return
    isRunning = true
    // If this call fails, the next heartbeat tries again.
    run()
      .catch(() => {})
      .finally(() => {
        isRunning = false
      })
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
