/** An element of a note's text, or a text; it can be sent from one thread to another. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
  /** In the text that was parsed. */
  readonly line: number | undefined
  readonly children: readonly MarkdownNode[]
}

/** A note's text as elements. */
export interface MarkdownTree {
  /** A number between `SLOT`'s characters stands for the link of that number. */
  readonly children: readonly MarkdownNode[]
  /** The text of each link. */
  readonly labels: readonly string[]
}

/** Where a link stands in a text. */
export const SLOT = /\u{E000}(\d+)\u{E001}/u
