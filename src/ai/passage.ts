/** A stretch of a note that a model is shown. */
export interface Passage {
  readonly id: string
  readonly title: string
  /** The headings above it, from the outside in. */
  readonly heading: readonly string[]
  /** 1-based lines of the file, both included. */
  readonly startLine: number
  readonly endLine: number
  /** These lines, as they are in the file. */
  readonly text: string
}
