import { createHash } from 'node:crypto'

export interface EmbedderSettings {
  readonly kind: 'static' | 'transformers' | 'openai' | 'none'
  /** `transformers`: a Hugging Face model id or a folder. `openai`: the server's name for the model. */
  readonly model?: string
  /** `openai`: base URL of the server's API, e.g. `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string
  /** `openai`: bearer token, sent only to `baseUrl`. */
  readonly apiKey?: string
  /**
   * The vectors' number of dimensions. It is verified, sent to `openai` servers, and determines how many columns of the static
   * tables are used. Defaults to all of the model's dimensions.
   */
  readonly dimensions?: number
  /** `static`: `english` omits the table for other languages. Defaults to both tables. */
  readonly languages?: 'auto' | 'english'
  /** Prepended to every query. Defaults to the model's known prefix. */
  readonly queryPrefix?: string
  /** Prepended to every passage. Defaults to the model's known prefix. */
  readonly passagePrefix?: string
  /** Maximum number of tokens per text. Longer text is truncated. Defaults to the model's known limit. */
  readonly maxTokens?: number
  /** `openai`: maximum number of strings per request. Defaults to 64. */
  readonly batch?: number
  /** `openai`: request timeout in milliseconds. Defaults to 60,000. */
  readonly timeoutMs?: number
  /** `transformers`: whether a missing model may be downloaded. */
  readonly allowDownload: boolean
}

export interface DownloadProgress {
  /** Bytes downloaded so far, in all files. */
  readonly loaded: number
  /** Total bytes, if known. */
  readonly total?: number
}

/** Everything that determines an embedder's vectors. */
export interface Provenance {
  readonly kind: string
  readonly model: string
  readonly dimensions: number
  /** Everything else that affects vectors: prefixes, pooling, limits, weights. */
  readonly recipe: Readonly<Record<string, unknown>>
}

/**
 * Returns `kind:model:dimensions:recipe`. The id includes 8 hex digits of the recipe's hash, because a different recipe, such as
 * another prefix, gives different vectors.
 */
export function embedderId({ kind, model, dimensions, recipe }: Provenance): string {
  const digest = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8)
  return `${kind}:${model}:${dimensions}:${digest}`
}
