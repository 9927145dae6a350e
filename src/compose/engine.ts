import { hash as digest } from 'node:crypto'
import { basename } from 'node:path'
import { retentionOf, type Settings } from '../config/settings.ts'
import type { IndexName, IndexStatus } from '../core/indexing.ts'
import type { Store } from '../core/store.ts'
import { locationOf } from '../store/embedded/location.ts'
import { type EmbeddedStore, openEmbeddedStore, type StoreOptions } from '../store/embedded/open-store.ts'
import type { FeederLease } from '../store/neo4j/feed/lease.ts'
import { type Neo4jPlace, serverOf } from '../store/neo4j/server/place.ts'
import type { EnginePlace } from '../store/open-writers.ts'
import { indexFile, insightFile, layoutFile, pictureFile, realRoot, searchIndexFile } from './index-files.ts'
import type { OpenOptions } from './open-options.ts'

/** The counter makes the names of in-memory indexes unique. */
let openCount = 0

export interface OpenEngine extends Pick<EmbeddedStore, 'refresh' | 'refreshSearch' | 'prepare' | 'releaseMemory'> {
  readonly store: Store
  /** Opens the index that replaced another one. Another process may have written it. */
  reopen(which: IndexName, cache: IndexStatus['cache']): void
}

/** Opens the engine. A remote database has no local state, so only `prepare` does anything. */
export async function openEngine(place: EnginePlace, options: Omit<StoreOptions, 'search'>): Promise<OpenEngine> {
  if (place.type === 'neo4j') {
    const [{ Connection }, { openNeo4jStore }] = await Promise.all([
      import('../store/neo4j/server/connection.ts'),
      import('../store/neo4j/open-store.ts'),
    ])
    const store = openNeo4jStore(new Connection(place), options.vault)
    const doNothing = (): void => {}
    return {
      store,
      refresh: doNothing,
      refreshSearch: async () => {},
      prepare: (part) => {
        if (part === 'names') store.planAhead()
        return true
      },
      releaseMemory: doNothing,
      reopen: doNothing,
    }
  }
  const store = openEmbeddedStore(locationOf(place, 'index', 'disk'), { ...options, search: locationOf(place, 'search', 'disk') })
  return {
    store,
    refresh: () => store.refresh(),
    refreshSearch: (embedder) => store.refreshSearch(embedder),
    prepare: (part, until) => store.prepare(part, until),
    releaseMemory: () => store.releaseMemory(),
    reopen: (which, cache) => store.reopen(which, locationOf(place, which, cache)),
  }
}

export function placeOf(settings: Settings, root: string, options: Pick<OpenOptions, 'name' | 'storePassword'>): EnginePlace {
  const file = indexFile(settings, root)
  if (settings.store.type === 'neo4j') return neo4jPlace(settings, { root, file, ...options })
  return {
    type: 'embedded',
    file,
    searchFile: searchIndexFile(file),
    insightFile: insightFile(file),
    layoutFile: layoutFile(file),
    pictureFile: pictureFile(file),
    memory: `roux-${process.pid}-${++openCount}`,
  }
}

export function neo4jPlace(
  { store, insight }: Settings,
  {
    root,
    file,
    name,
    storePassword = '',
  }: { readonly root: string; readonly file: string } & Pick<OpenOptions, 'name' | 'storePassword'>,
): Neo4jPlace {
  const vault = name ?? basename(root)
  const { 'neo4j.url': url, 'neo4j.user': user, 'neo4j.database': database } = store
  return {
    type: 'neo4j',
    url,
    user,
    password: storePassword,
    database,
    vault,
    // The origin identifies the folder and the settings that affect parsing.
    origin: { folder: digest('sha256', root, 'hex'), reading: basename(file) },
    file: `${serverOf(url)} (${vault})`,
    insightFile: insightFile(file),
    layoutFile: layoutFile(file),
    pictureFile: pictureFile(file),
    ...(insight.keep_days === 0 ? {} : { log: retentionOf(insight) }),
  }
}

export async function connectionTo(place: Neo4jPlace) {
  const { Connection } = await import('../store/neo4j/server/connection.ts')
  return new Connection(place)
}

export type { FeederLease }

export async function openFeederLease(
  settings: Settings,
  options: Pick<OpenOptions, 'name' | 'storePassword'>,
): Promise<FeederLease> {
  const { openLease } = await import('../store/neo4j/feed/lease.ts')
  const root = realRoot(settings.vault.path)
  return openLease(await connectionTo(neo4jPlace(settings, { ...options, root, file: indexFile(settings, root) })))
}

/** Removes a vault from the database. @throws RouxError `VAULT_NOT_FOUND` if there is none, `CONFLICT` while it is being fed */
export async function removeFed(
  settings: Settings,
  options: Required<Pick<OpenOptions, 'name'>> & Pick<OpenOptions, 'storePassword'>,
): Promise<void> {
  const { removeFedVault } = await import('../store/neo4j/feed/index-writer.ts')
  const connection = await connectionTo(neo4jPlace(settings, { ...options, root: '/', file: indexFile(settings, '/') }))
  try {
    await removeFedVault(connection)
  } finally {
    await connection.close()
  }
}
