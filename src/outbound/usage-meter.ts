/** Tokens that a request may take. */
export interface Expected {
  readonly input: number
  readonly output: number
}

/** Tokens that a request took. */
export interface Spent extends Expected {
  /** Not said by the server, but computed from lengths. */
  readonly estimated: boolean
  /** Nothing that could be used came of it. */
  readonly failed?: boolean
}

/** Lets requests through the gate, one by one. */
export interface Meter {
  /**
   * Reserves what a request may take, before it is sent.
   * @throws RouxError `BUDGET_EXCEEDED`; `REMOTE_NOT_ALLOWED` where consent was taken back.
   */
  begin(expected: Expected): Ticket
}

/** One request that was let through. */
export interface Ticket {
  /** Records the actual cost and releases the rest of the reservation. */
  end(spent: Spent): void
}
