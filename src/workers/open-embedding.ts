import { join } from 'node:path'
import { userFolders } from '../config/environment.ts'
import type { Settings } from '../config/settings.ts'
import type { Embedder } from '../core/embedder.ts'
import type { DownloadProgress, EmbedderSettings } from '../embed/embedder-settings.ts'
import type { EmbedderDependencies } from '../embed/open-embedder.ts'
import type { GateSettings } from '../outbound/gate.ts'
import type { Meter } from '../outbound/http-client.ts'
import { embeddingTables, entryOf } from './entries.ts'
import type { OpenGate } from './open-gate.ts'

export interface OpenEmbedding {
  /** @throws RouxError `PROVIDER_ERROR` */
  open(): Promise<Embedder>
  openFormer(id: string): Promise<Embedder | undefined>
  close(): Promise<void>
}

export interface EmbeddingOptions {
  readonly apiKey?: string | undefined
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined
  /** Returns the settings for requests. By default, no request may go to another computer. */
  readonly gate?: (() => GateSettings) | undefined
  readonly name?: string
}

const CLOSED = (): GateSettings => ({ allow_remote: false, budget: 'auto' })

export function openEmbedding(
  settings: Settings['embedder'],
  { apiKey, onDownload, gate }: EmbeddingOptions = {},
): OpenEmbedding {
  const configured = embedderSettings(settings, apiKey)
  const passage = gatePassage(gate)
  const dependencies = { ...embedderDependencies(onDownload), admit: passage.admit }
  const closing = new AbortController()
  const openEmbedders = new Map<string, Promise<Embedder>>()
  const open = (name: string, from: EmbedderSettings): Promise<Embedder> => {
    const cached = openEmbedders.get(name)
    if (cached !== undefined) return cached
    const opening = openAny(from, dependencies, closing.signal)
    openEmbedders.set(name, opening)
    opening.catch(() => openEmbedders.delete(name))
    return opening
  }
  return {
    open: () => open('', configured),
    openFormer: async (id) => {
      if (!id.startsWith('static:')) return undefined
      // An open table is kept, because reading it again would take time.
      const ownEmbedder = configured.kind === 'static' ? await open('', configured) : undefined
      if (ownEmbedder?.id === id) return ownEmbedder
      const formerEmbedder = await open(id, { kind: 'static', allowDownload: false, ...formerSettings(id) })
      return formerEmbedder.id === id ? formerEmbedder : undefined
    },
    close: async () => {
      // This also cancels downloads.
      closing.abort(new Error('the vault was closed'))
      const embedders = await Promise.allSettled(openEmbedders.values())
      await Promise.all(embedders.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
      passage.close()
    },
  }
}

/** Returns the settings of an earlier embedder. Only embedders with both tables have a version in their id. */
function formerSettings(id: string): Pick<EmbedderSettings, 'dimensions' | 'languages'> {
  const [, , dimensions, version] = id.split(':')
  return { dimensions: Number(dimensions), languages: version === undefined ? 'english' : 'auto' }
}

export function gatePassage(settings: () => GateSettings = CLOSED): {
  admit(place: { readonly baseUrl: string; readonly model: string }): Promise<Meter>
  close(): void
} {
  let opening: Promise<OpenGate> | undefined
  return {
    async admit(place) {
      opening ??= import('./open-gate.ts').then(({ openGate }) => openGate(settings))
      return (await (await opening).gate.admit(place)).meterFor('embed')
    },
    close: () => void opening?.then((gate) => gate.close()),
  }
}

export function embedderSettings(settings: Settings['embedder'], apiKey?: string): EmbedderSettings {
  const { kind, languages, model, base_url: baseUrl, dimensions, max_tokens: maxTokens, batch, timeout, download } = settings
  return {
    kind,
    batch,
    timeoutMs: timeout * 1_000,
    allowDownload: download,
    ...(languages === 'auto' ? undefined : { languages }),
    ...(model === '' ? undefined : { model }),
    ...(baseUrl === '' ? undefined : { baseUrl }),
    ...(apiKey === undefined ? undefined : { apiKey }),
    // An empty string stands for no prefix.
    ...(settings.query_prefix === 'auto' ? undefined : { queryPrefix: settings.query_prefix }),
    ...(settings.passage_prefix === 'auto' ? undefined : { passagePrefix: settings.passage_prefix }),
    ...(dimensions === 0 ? undefined : { dimensions }),
    ...(maxTokens === 0 ? undefined : { maxTokens }),
  }
}

export function embedderDependencies(onProgress?: (progress: DownloadProgress) => void): EmbedderDependencies {
  return {
    tables: embeddingTables(),
    workerEntry: entryOf('model'),
    modelsFolder: join(userFolders().cache, 'models'),
    ...(onProgress === undefined ? undefined : { onProgress }),
  }
}

async function openAny(settings: EmbedderSettings, dependencies: EmbedderDependencies, signal: AbortSignal): Promise<Embedder> {
  const { openEmbedder } = await import('../embed/open-embedder.ts')
  const embedder = await openEmbedder(settings, dependencies, signal)
  if (embedder === undefined) throw new Error('no embedder has been configured')
  return embedder
}
