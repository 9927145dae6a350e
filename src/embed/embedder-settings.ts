import { createHash } from 'node:crypto'

/** The embedder settings (`embedder.*`). */
export interface EmbedderSettings {
  readonly kind: 'static' | 'transformers' | 'openai' | 'none'
  /** `transformers`: an id of the Hugging Face hub or a folder; `openai`: the name that the server knows the model by. */
  readonly model?: string
  /** `openai`: where the server's API begins, e.g. `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string
  /** `openai`: sent as bearer token, to `baseUrl` only. */
  readonly apiKey?: string
  /** Length of the vectors: checked, asked of `openai` servers; of the static table, how many columns are used. Absent: the model's own. */
  readonly dimensions?: number
  /** Text before every query; absent: the model's known default. */
  readonly queryPrefix?: string
  /** Text before every passage; absent: the model's known default. */
  readonly passagePrefix?: string
  /** Tokens of a text that are read, the rest is cut off; absent: what the model is known to take. */
  readonly maxTokens?: number
  /** `openai`: texts sent in one request at most. Absent: 64. */
  readonly batch?: number
  /** `openai`: milliseconds that one request may take. Absent: 60,000. */
  readonly timeoutMs?: number
  /** `transformers`: whether a model that is not there may be downloaded from the hub. */
  readonly allowDownload: boolean
}

/** How far a download is. */
export interface DownloadProgress {
  /** Bytes so far, over all files. */
  readonly loaded: number
  /** Bytes in all; absent while not known. */
  readonly total?: number
}

/** The settings that an embedder's vectors depend on. */
export interface Provenance {
  readonly kind: string
  readonly model: string
  readonly dimensions: number
  /** Everything else that changes vectors: prefixes, pooling, limits, weights. */
  readonly recipe: Readonly<Record<string, unknown>>
}

/** `kind:model:dimensions:recipe`, the last as 8 hex digits of its hash: another prefix makes other vectors. */
export function embedderId({ kind, model, dimensions, recipe }: Provenance): string {
  const digest = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8)
  return `${kind}:${model}:${dimensions}:${digest}`
}
