/** The ledger entry of a request to a model on a server. */
export interface Account {
  /** The server, e.g. `api.openai.com`. */
  readonly provider: string
  readonly model: string
  /** `ask`, `chat`, `embed`. */
  readonly feature: string
  /** True if the data stays on this computer. */
  readonly location: 'local' | 'remote'
}

/** The requests of one day. */
export interface UsageRow extends Account {
  /** Of UTC, `2026-01-31`. */
  readonly day: string
  readonly requests: number
  readonly input: number
  readonly output: number
  /** Requests for which the server reported no token counts. */
  readonly estimated: number
  readonly failed: number
  /** Reserved for requests that are on their way, or whose process died. */
  readonly reserved: number
}
