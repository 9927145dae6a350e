export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface ChatRequest {
  readonly system: string
  /** At least one message. The last one is from the user. */
  readonly messages: readonly ChatMessage[]
  /** Maximum length of the answer in tokens. */
  readonly maxTokens: number
  readonly temperature: number
  /** The feature to record in the ledger: `ask` or `chat`. */
  readonly feature: string
  /** Aborts the request and closes the connection. */
  readonly signal?: AbortSignal | undefined
}

export interface ChatUsage {
  readonly input: number
  readonly output: number
  /** True if the counts are estimates based on text length, because the server reported no counts or impossible ones. */
  readonly estimated: boolean
}

/**
 * `length`: the answer reached `maxTokens`. `cut`: the server closed the connection. `late`: the time limit passed. `other`: for
 * example, the server's content filter.
 */
export type ChatFinish = 'stop' | 'length' | 'cut' | 'late' | 'other'

/** Events of a request, in order. The last one is `end`. */
export type ChatEvent =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | {
      readonly kind: 'end'
      readonly finish: ChatFinish
      /** Why the server closed the connection, if known. */
      readonly reason?: string
      readonly usage: ChatUsage
      /** Upper bound on the number of tokens in the prompt. */
      readonly expected: number
    }

/** A model that answers plain-text prompts. It cannot call tools. */
export interface ChatProvider {
  /** The provider's name in the ledger, e.g. `api.openai.com`. */
  readonly id: string
  readonly model: string
  /** `local` if the data stays on this computer. */
  readonly location: 'local' | 'remote'
  /**
   * Sends a request and streams the answer. Ending the iteration closes the connection; tokens used so far are counted.
   * @throws RouxError `PROVIDER_ERROR`, `TIMEOUT`, `BUDGET_EXCEEDED` or `REMOTE_NOT_ALLOWED`; the signal's reason if aborted
   */
  chat(request: ChatRequest): AsyncIterable<ChatEvent>
}

/** The configured model, as seen by use cases. */
export interface Chat {
  /** Size of the model's context window in tokens, including the answer. */
  readonly context: number
  /** Maximum length of an answer in tokens. */
  readonly maxTokens: number
  /** Returns, for each path, whether the settings allow the file's text to be sent to the model. */
  mayLeave(paths: readonly string[]): readonly boolean[]
  /** Configured patterns that match no path in the vault. Each pattern is returned only once. */
  unusedPatterns?(paths: () => Promise<readonly string[]>): Promise<readonly string[]>
  /** Connects on the first call. @throws RouxError `REMOTE_NOT_ALLOWED`, or `PROVIDER_ERROR` with a hint about the setting to change */
  open(): Promise<ChatProvider>
}

/** Possible sources of a model's API key, in order of precedence. Nothing has been read from them yet. */
export interface KeySource {
  readonly value?: string
  readonly file?: string
  /** Program and arguments. */
  readonly command?: readonly string[]
}

/** Ledger entry for requests to a model on a server. */
export interface Account {
  /** The server, e.g. `api.openai.com`. */
  readonly provider: string
  readonly model: string
  /** `ask`, `chat` or `embed`. */
  readonly feature: string
  /** `local` if the data stays on this computer. */
  readonly location: 'local' | 'remote'
}

export interface UsageRow extends Account {
  /** UTC date, e.g. `2026-01-31`. */
  readonly day: string
  readonly requests: number
  readonly input: number
  readonly output: number
  /** Number of requests for which the server reported no token counts. */
  readonly estimated: number
  readonly failed: number
  /** Tokens reserved for requests that are in progress or whose process died. */
  readonly reserved: number
}
