import { createHash } from 'node:crypto'

export interface EmbedderSettings {
  readonly kind: 'static' | 'transformers' | 'openai' | 'none'
  /** The model. For `transformers`, a Hugging Face model id or a folder; for `openai`, the server's model name. */
  readonly model?: string
  /** The base URL of an `openai` server's API, e.g. `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string
  /** The bearer token for an `openai` server, sent only to `baseUrl`. */
  readonly apiKey?: string
  /**
   * The number of dimensions, which is verified against the model. `openai` servers receive it; `static` tables use only that
   * many columns. The default is the model's own number.
   */
  readonly dimensions?: number
  /** The languages of `static` tables. `english` omits the table for other languages. */
  readonly languages?: 'auto' | 'english'
  /** This prefix is added to queries. The default is the model's known prefix. */
  readonly queryPrefix?: string
  /** This prefix is added to passages. The default is the model's known prefix. */
  readonly passagePrefix?: string
  /** Longer text is truncated to this many tokens. The default is the model's known limit. */
  readonly maxTokens?: number
  /** The maximum number of strings per request to an `openai` server. The default is 64. */
  readonly batch?: number
  /** The timeout of a request to an `openai` server, in milliseconds. The default is 60,000. */
  readonly timeoutMs?: number
  readonly allowDownload: boolean
}

export interface DownloadProgress {
  readonly loaded: number
  readonly total?: number
}

export interface Provenance {
  readonly kind: string
  readonly model: string
  readonly dimensions: number
  /** Everything else that affects the vectors, such as prefixes and pooling. */
  readonly recipe: Readonly<Record<string, unknown>>
}

/** Returns `kind:model:dimensions:recipe`, where `recipe` is 8 hex digits of a hash. */
export function embedderId({ kind, model, dimensions, recipe }: Provenance): string {
  const digest = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8)
  return `${kind}:${model}:${dimensions}:${digest}`
}
