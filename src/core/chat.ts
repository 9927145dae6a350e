export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface ChatRequest {
  readonly system: string
  /** The conversation is not empty, and its last message is from the user. */
  readonly messages: readonly ChatMessage[]
  /** Maximum tokens in the answer. */
  readonly maxTokens: number
  readonly temperature: number
  /** The feature that the ledger records: `ask` or `chat`. */
  readonly feature: string
  /** Aborting this signal closes the connection. */
  readonly signal?: AbortSignal | undefined
}

export interface ChatUsage {
  readonly input: number
  readonly output: number
  /** True if the counts are estimated from the length of the text, because the server reported none or impossible ones. */
  readonly estimated: boolean
}

/**
 * The reason why an answer ended. `length`: `maxTokens` reached. `cut`: connection closed by the server. `late`: time limit
 * exceeded. `other`: for example, a content filter.
 */
export type ChatFinish = 'stop' | 'length' | 'cut' | 'late' | 'other'

/** An event of an answer. The last one is `end`. */
export type ChatEvent =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | {
      readonly kind: 'end'
      readonly finish: ChatFinish
      /** The reason why the server closed the connection, if it is known. */
      readonly reason?: string
      readonly usage: ChatUsage
      /** An upper bound for the tokens in the prompt. */
      readonly expected: number
    }

export interface ChatProvider {
  /** The name in the ledger, e.g. `api.openai.com`. */
  readonly id: string
  readonly model: string
  /** The location is `local` if no data leaves this computer. */
  readonly location: 'local' | 'remote'
  /**
   * Streams the answer. Ending the iteration closes the connection; tokens used so far are counted.
   * @throws RouxError `PROVIDER_ERROR`, `TIMEOUT`, `BUDGET_EXCEEDED` or `REMOTE_NOT_ALLOWED`; the signal's reason if aborted
   */
  chat(request: ChatRequest): AsyncIterable<ChatEvent>
}

export interface Chat {
  /** The context window in tokens, including the answer. */
  readonly context: number
  /** Maximum tokens in an answer. */
  readonly maxTokens: number
  /** Returns, for each path, whether its text may be sent to the model. */
  mayLeave(paths: readonly string[]): readonly boolean[]
  /** Returns the patterns that match no path. Each pattern is returned only once. */
  unusedPatterns?(paths: () => Promise<readonly string[]>): Promise<readonly string[]>
  /**
   * Opens the model. The first call connects to it.
   * @throws RouxError `REMOTE_NOT_ALLOWED`, or `PROVIDER_ERROR` with a hint about the setting to change
   */
  open(): Promise<ChatProvider>
}

/** The sources of a model's API key, in order of precedence. They are read when needed. */
export interface KeySource {
  readonly value?: string
  readonly file?: string
  /** A program and its arguments, which run without a shell. */
  readonly command?: readonly string[]
}

export interface Account {
  /** The name of the host, e.g. `api.openai.com`. */
  readonly provider: string
  readonly model: string
  /** The feature: `ask`, `chat` or `embed`. */
  readonly feature: string
  /** The location is `local` if no data leaves this computer. */
  readonly location: 'local' | 'remote'
}

export interface UsageRow extends Account {
  /** The date in UTC, e.g. `2026-01-31`. */
  readonly day: string
  readonly requests: number
  readonly input: number
  readonly output: number
  /** Number of requests for which the server reported no token counts. */
  readonly estimated: number
  readonly failed: number
  /** Tokens reserved for running requests, and for requests whose process died. */
  readonly reserved: number
}
