export interface Flavor {
  /** The rules for parsing. `obsidian` follows Obsidian's rules exactly and implies the mode `obsidian`. */
  readonly profile: 'lenient' | 'obsidian'
  readonly mode: Mode
  /** True if links and tags inside `%% comments %%` count. */
  readonly comments: boolean
  /** The tags in the body to ignore. By default, there are none. */
  readonly ignoredTags?: IgnoredTags
  /** The languages that notes can be in. By default, these are all. */
  readonly languages?: readonly string[]
}

/** The flavor for callers whose result does not depend on it. */
export const DEFAULT_FLAVOR: Flavor = { profile: 'lenient', mode: 'obsidian', comments: true }

export interface IgnoredTags {
  /** If true, `#tag` in the text of a Markdown link is not a tag. */
  readonly inLinkText: boolean
  /** If true, tags that could be colors, such as `#ffaa00`, are ignored. */
  readonly colors: boolean
}

export type Mode = 'obsidian' | 'foam' | 'logseq' | 'docs'

/** The kind of a link. `property` also covers inline `key:: [[x]]`. */
export type LinkKind = 'link' | 'embed' | 'property'

/**
 * The form of a link, which determines how the target is decoded and resolved. `reference`: `[x][r]` with a separate definition.
 * `canvas`: `file` of a card or `background` of a group. `page`: Logseq's `#[[x]]`.
 */
export type LinkForm = 'wikilink' | 'markdown' | 'reference' | 'html' | 'canvas' | 'page'

export interface Link {
  readonly kind: LinkKind
  readonly form: LinkForm
  /**
   * The name to resolve, as written, without subpath and display text. In Markdown links, escapes, character references and
   * percent-encoding are decoded. The name is empty for `[[#heading]]`.
   */
  readonly target: string
  /** The text after the first `#`: `Heading`, `Heading#Sub` or `^block`. */
  readonly subpath?: string
  readonly display?: string
  /** The property's name as written. Nested names are joined with `.`. */
  readonly property?: string
  /** The 1-based line of the file, not of the body. */
  readonly line: number
  /** The 1-based column in UTF-16 units. */
  readonly column: number
  /** The UTF-16 offsets of the raw link in the file's decoded text. */
  readonly start: number
  readonly end: number
  /** True for links inside a `%% comment %%`. */
  readonly inComment?: true
}

export interface Heading {
  /** The level of the heading, 1–6. */
  readonly level: number
  /** The trimmed text, without the `#`s around it. */
  readonly text: string
  /** The 1-based line of the file, not of the body. */
  readonly line: number
}

/** A task such as `- [ ] water the roses`, or in Logseq `- TODO water the roses`. */
export interface Task {
  /** The 1-based line of the file, not of the body. */
  readonly line: number
  /** The state of the task. `other` stands for checkboxes such as `[-]`, and for cancelled tasks. */
  readonly state: 'open' | 'done' | 'other'
}

export interface Tag {
  /** The spelling at the first occurrence, without leading `#` and trailing `/`. */
  readonly name: string
  /** The 1-based line of the file, not of the body. */
  readonly line: number
  /** The value is false for tags in properties. */
  readonly inBody: boolean
}

export interface MalformedPart {
  /** The 1-based line of the file, not of the body. */
  readonly line: number
  /** A sentence for people. */
  readonly message: string
}

/** A note as parsed from its text. Links are not resolved. */
export interface Note {
  /** The `title` property, if it is a non-empty string or a number. */
  readonly title?: string
  /** The first level-1 heading, as written. */
  readonly h1?: string
  /** The aliases in order, without duplicates. */
  readonly aliases: readonly string[]
  /** One tag per folded name, in order of appearance. Tags from properties come first. */
  readonly tags: readonly Tag[]
  /** The frontmatter as JSON values, with keys as written. The object is empty if the frontmatter is missing or malformed. */
  readonly properties: Readonly<Record<string, unknown>>
  /** Links are ordered by their position in the file. */
  readonly links: readonly Link[]
  readonly headings: readonly Heading[]
  /** The ids of `^blocks` without the `^`, in order. */
  readonly blocks: readonly string[]
  /** Tasks are ordered by position. Only notes have tasks. */
  readonly tasks: readonly Task[]
  /** The UTF-16 offset after the frontmatter and BOM. */
  readonly bodyStart: number
  readonly malformed: readonly MalformedPart[]
  /** Numbers of links by style, which tell a docs folder from a vault. They do not depend on the mode, except for `logseq`. */
  readonly style: { readonly wikilinks: number; readonly relativeLinks: number }
}
