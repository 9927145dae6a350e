/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface ChatRequest {
  /** The system prompt. */
  readonly system: string
  /** At least one; the last is the user's. */
  readonly messages: readonly ChatMessage[]
  /** The limit of the answer, in tokens. */
  readonly maxTokens: number
  readonly temperature: number
  /** The feature, for the ledger: `ask`, `chat`. */
  readonly feature: string
  /** Aborted when nobody waits for the answer any more; this closes the connection. */
  readonly signal?: AbortSignal | undefined
}

/** Tokens that a request took. */
export interface ChatUsage {
  readonly input: number
  readonly output: number
  /** The server did not say, or said what cannot be: computed from lengths. */
  readonly estimated: boolean
}

/** `length`: it reached `maxTokens`; `cut`: the server broke off; `late`: it took too long; `other`: a filter of the server's own. */
export type ChatFinish = 'stop' | 'length' | 'cut' | 'late' | 'other'

/** The events of a request, in order; `end` is the last. */
export type ChatEvent =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | {
      readonly kind: 'end'
      readonly finish: ChatFinish
      /** Why the server broke off, where that is known. */
      readonly reason?: string
      readonly usage: ChatUsage
      /** An upper estimate of the question's tokens. */
      readonly expected: number
    }

/** A model that is asked in plain text. It is given no tools. */
export interface ChatProvider {
  /** The provider's name in the ledger, e.g. `api.openai.com`. */
  readonly id: string
  readonly model: string
  /** True if the data stays on this computer. */
  readonly location: 'local' | 'remote'
  /**
   * Sends a request and streams the answer. Ending the iteration closes the connection; tokens used so far are counted.
   * @throws RouxError `PROVIDER_ERROR`, `TIMEOUT`, `BUDGET_EXCEEDED`, `REMOTE_NOT_ALLOWED`; the signal's reason
   */
  chat(request: ChatRequest): AsyncIterable<ChatEvent>
}

/** The model that the settings name, for use cases. */
export interface Chat {
  /** Tokens that the model reads, its answer included. */
  readonly context: number
  /** The limit of an answer, in tokens. */
  readonly maxTokens: number
  /** Which of these paths the settings let leave the vault. */
  mayLeave(paths: readonly string[]): readonly boolean[]
  /** Patterns of the settings that fit none of the vault's paths, unless they were returned before. */
  unusedPatterns?(paths: () => Promise<readonly string[]>): Promise<readonly string[]>
  /** Opened with the first call. @throws RouxError `REMOTE_NOT_ALLOWED`, `PROVIDER_ERROR` with what to set */
  open(): Promise<ChatProvider>
}
