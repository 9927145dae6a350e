/** An element or text of a rendered note. It can be sent between threads. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
  /** Line in the parsed text. */
  readonly line: number | undefined
  readonly children: readonly MarkdownNode[]
}

/** A note's text as elements. */
export interface MarkdownTree {
  /** A number between the characters of `SLOT` is a placeholder for the link with that number. */
  readonly children: readonly MarkdownNode[]
  /** The text of each link. */
  readonly labels: readonly string[]
}

/** Matches a link's placeholder in the text. */
export const SLOT = /\u{E000}(\d+)\u{E001}/u
