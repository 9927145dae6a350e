/** How notes are read: which of Obsidian's rules are kept, and what kind of vault it is. */
export interface Flavour {
  /** `lenient` is the product's default; `obsidian` follows Obsidian to the letter (and implies that mode). */
  readonly profile: 'lenient' | 'obsidian'
  readonly mode: Mode
  /** True if links and tags inside `%% comments %%` count. */
  readonly comments: boolean
  /** Tags of the body that do not count; none are left out where this is absent. */
  readonly ignoredTags?: IgnoredTags
}

/** The product's default. Flavours agree on most of what a text says; where they do, this one will do. */
export const DEFAULT_FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }

export interface IgnoredTags {
  /** `#tag` in the text of a Markdown link. */
  readonly inLinkText: boolean
  /** True if possible colours such as `#ffaa00` count as tags. */
  readonly colors: boolean
}

export type Mode = 'obsidian' | 'foam' | 'logseq' | 'docs'

/** `property` also covers inline `key:: [[x]]`. */
export type LinkKind = 'link' | 'embed' | 'property'

/**
 * How a link is written: decides how its target is decoded and looked up.
 * `reference` is `[x][r]` with its definition elsewhere; `canvas` is the `file` of a canvas card; `page` is Logseq's `#[[x]]`.
 */
export type LinkForm = 'wikilink' | 'markdown' | 'reference' | 'html' | 'canvas' | 'page'

/** One occurrence of an internal link in a file. External links are not links of the graph and never appear. */
export interface Link {
  readonly kind: LinkKind
  readonly form: LinkForm
  /**
   * The name to look up: as written, without subpath, display text and outer spaces. In Markdown forms, backslash
   * escapes, character references and percent-encoding are decoded. Empty for `[[#heading]]`.
   */
  readonly target: string
  /** The text after the first `#`: `Heading`, `Heading#Sub`, `^block`. Absent without `#`. */
  readonly subpath?: string
  /** The display text as written; absent when there is none. */
  readonly display?: string
  /** The property's name as written (nested ones joined by `.`), for `kind: 'property'`. */
  readonly property?: string
  /** 1-based line in the file. */
  readonly line: number
  /** 1-based column in UTF-16 code units. */
  readonly column: number
  /** UTF-16 offsets in the file's decoded text: `text.slice(start, end)` is the raw link. */
  readonly start: number
  readonly end: number
  /** Inside a `%% comment %%`. */
  readonly inComment?: true
}

export interface Heading {
  /** 1–6. */
  readonly level: number
  /** The heading's text as written, without marks and closing `#`s, trimmed. */
  readonly text: string
  /** 1-based line in the file. */
  readonly line: number
}

/** An item of a list with a box, `- [ ] water the roses`, or in Logseq with a word, `- TODO water the roses`. */
export interface Task {
  /** 1-based line in the file. */
  readonly line: number
  /** `other`: the box holds neither a blank nor an x, such as `[-]`, or the word says that it was given up. */
  readonly state: 'open' | 'done' | 'other'
}

export interface Tag {
  /** As first written, without `#` and without a final `/`. */
  readonly name: string
  readonly line: number
  /** Written in the body, not in a property. */
  readonly inBody: boolean
}

export interface MalformedPart {
  readonly line: number
  /** The problem as one sentence for a person. */
  readonly message: string
}

/** The facts of one file, from its text alone; links are resolved later. */
export interface Note {
  /** The property `title` where it is a non-empty text (or number). */
  readonly title?: string
  /** The text of the first level-1 heading, as written. */
  readonly h1?: string
  /** In order, without duplicates. */
  readonly aliases: readonly string[]
  /** One a folded name, in order of first appearance (properties first). */
  readonly tags: readonly Tag[]
  /** The frontmatter as plain JSON values; keys as written. Empty when there is none or it is malformed. */
  readonly properties: Readonly<Record<string, unknown>>
  /** In order of their position. */
  readonly links: readonly Link[]
  /** In order of their position. */
  readonly headings: readonly Heading[]
  /** Ids of `^blocks`, without `^`, in order. */
  readonly blocks: readonly string[]
  /** In order of their position; of notes only. */
  readonly tasks: readonly Task[]
  /** UTF-16 offset of the first character after the frontmatter (and the BOM). */
  readonly bodyStart: number
  readonly malformed: readonly MalformedPart[]
  /** Counts that distinguish a docs folder from a vault; the same in every mode. */
  readonly style: { readonly wikilinks: number; readonly relativeLinks: number }
}
