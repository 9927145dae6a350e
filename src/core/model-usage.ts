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
