import type { GraphCore } from '../app/graph-core.ts'
import { Rankings } from '../app/links/rankings.ts'
import type { Settings } from '../config/settings.ts'
import { serverOf } from '../store/neo4j/server/place.ts'
import { LayoutClient } from '../workers/layout-client.ts'
import { mayEmbed } from '../workers/may-leave.ts'
import { neo4jPlace } from './engine.ts'
import { indexFile, layoutFile } from './index-files.ts'
import type { OpenOptions } from './open-options.ts'
import { shareParts } from './shared-parts.ts'
import { chatOf, openWholeVault } from './whole-vault.ts'

/** Opens a vault that a database alone is asked for; nothing of it can be written. */
export async function openStoredCore(settings: Settings, options: OpenOptions & { readonly stored: string }): Promise<GraphCore> {
  const { stored, name, shared = shareParts() } = options
  const root = `neo4j ${serverOf(settings.store['neo4j.url'])} ${settings.store['neo4j.database']} ${stored}`
  const { origin: _, ...place } = neo4jPlace(settings, { ...options, root, file: indexFile(settings, root), name: stored })
  const { openStoredVault } = await import('../store/neo4j/stored-vault.ts')
  const { store, texts, indexing, graphLog, isFollowed } = openStoredVault(place, name)
  const embedding =
    settings.embedder.kind === 'none' ? undefined : shared.embedding(settings.embedder, { ...options, gate: settings.ai })
  const whole = openWholeVault(settings, {
    name,
    root,
    store,
    texts,
    runs: shared.compute,
    file: place.insightFile,
    isKeptElsewhere: isFollowed,
  })
  const chat = chatOf(settings, options)
  return {
    ...(name === undefined ? {} : { name }),
    root: stored,
    store,
    texts,
    rankings: new Rankings(store, shared.compute, isFollowed),
    layouts: new LayoutClient(layoutFile(place.file), shared.layouts),
    // Attachments are where the folder is.
    pictures: { read: async () => undefined },
    ...whole,
    indexing,
    graphLog,
    ...(embedding === undefined ? undefined : { embedding: { ...embedding, mayEmbed: mayEmbed(settings) } }),
    searchWeight: settings.search.weight,
    get chat() {
      return chat.now
    },
    close: async () => {
      chat.close()
      whole.close()
      if (options.shared === undefined) await shared.close()
      await store.close()
    },
  }
}
