import { join } from 'node:path'
import { userFolders } from '../config/folders.ts'
import type { Settings } from '../config/settings.ts'
import type { Embedder } from '../core/embedder.ts'
import type { DownloadProgress, EmbedderSettings } from '../embed/embedder-settings.ts'
import type { EmbedderDependencies } from '../embed/open-embedder.ts'
import { embeddingTable, entryOf } from './entries.ts'

/** The embedders of one vault. */
export interface OpenEmbedding {
  /** The one that the settings name. @throws RouxError `PROVIDER_ERROR` */
  open(): Promise<Embedder>
  /** One that vectors were made with before, where it can still be opened without further ado. */
  openFormer(id: string): Promise<Embedder | undefined>
  close(): Promise<void>
}

/** What the settings say of embedders, opened when first needed; one that fails is tried again with the next call. */
export function openEmbedding(
  settings: Settings['embedder'],
  onDownload: ((progress: DownloadProgress) => void) | undefined,
): OpenEmbedding {
  const {
    kind,
    model,
    base_url: baseUrl,
    dimensions,
    query_prefix,
    passage_prefix,
    max_tokens,
    batch,
    timeout,
    download,
  } = settings
  const apiKey = process.env.ROUX_EMBEDDER_API_KEY
  const wanted: EmbedderSettings = {
    kind,
    batch,
    timeoutMs: timeout * 1_000,
    allowDownload: download,
    ...given({ model, baseUrl, apiKey, queryPrefix: query_prefix, passagePrefix: passage_prefix }),
    ...(dimensions === 0 ? undefined : { dimensions }),
    ...(max_tokens === 0 ? undefined : { maxTokens: max_tokens }),
  }
  const dependencies: EmbedderDependencies = {
    tablePath: embeddingTable(),
    workerEntry: entryOf('model'),
    modelsFolder: join(userFolders().cache, 'models'),
    ...(onDownload === undefined ? undefined : { onProgress: onDownload }),
  }
  const opened = new Map<string, Promise<Embedder>>()
  const open = (name: string, from: EmbedderSettings): Promise<Embedder> => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const opening = openAny(from, dependencies)
    opened.set(name, opening)
    opening.catch(() => opened.delete(name))
    return opening
  }
  return {
    open: () => open('', wanted),
    openFormer: async (id) => {
      if (!id.startsWith('static:')) return undefined
      const former = await open(id, { kind: 'static', allowDownload: false, dimensions: Number(id.split(':').at(-1)) })
      return former.id === id ? former : undefined
    },
    close: async () => {
      const embedders = await Promise.allSettled(opened.values())
      await Promise.all(embedders.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}

async function openAny(settings: EmbedderSettings, dependencies: EmbedderDependencies): Promise<Embedder> {
  const { openEmbedder } = await import('../embed/open-embedder.ts')
  const embedder = await openEmbedder(settings, dependencies)
  if (embedder === undefined) throw new Error('no embedder is configured')
  return embedder
}

/** The members that say something. */
function given<T extends Readonly<Record<string, string | undefined>>>(texts: T): { readonly [Key in keyof T]?: string } {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined && text !== '')) as {
    readonly [Key in keyof T]?: string
  }
}
