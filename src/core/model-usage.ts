/** What a request to a model on a server is counted under. */
export interface Account {
  /** The server, e.g. `api.openai.com`. */
  readonly provider: string
  readonly model: string
  /** `ask`, `chat`, `embed`. */
  readonly feature: string
  /** Whether what is sent stays on this computer. */
  readonly location: 'local' | 'remote'
}

/** What was asked on one day. */
export interface UsageRow extends Account {
  /** Of UTC, `2026-01-31`. */
  readonly day: string
  readonly requests: number
  readonly input: number
  readonly output: number
  /** Requests of which the server did not say what they took. */
  readonly estimated: number
  readonly failed: number
  /** Reserved for requests that are on their way, or whose process died. */
  readonly reserved: number
}
