/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** What to do about it, one sentence. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
