/** How notes are read: which of Obsidian's rules apply, and the kind of vault. */
export interface Flavour {
  /** `lenient` is the default. `obsidian` follows Obsidian's rules exactly and implies the mode `obsidian`. */
  readonly profile: 'lenient' | 'obsidian'
  readonly mode: Mode
  /** True if links and tags inside `%% comments %%` count. */
  readonly comments: boolean
  /** Tags in the body to ignore. None by default. */
  readonly ignoredTags?: IgnoredTags
  /** The languages that notes can be in. All by default. */
  readonly languages?: readonly string[]
}

/** For callers whose result does not depend on the flavour. */
export const DEFAULT_FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }

export interface IgnoredTags {
  /** True to ignore `#tag` in the text of a Markdown link. */
  readonly inLinkText: boolean
  /** True to ignore tags that could be colors, such as `#ffaa00`. */
  readonly colors: boolean
}

export type Mode = 'obsidian' | 'foam' | 'logseq' | 'docs'

/** `property` also covers inline `key:: [[x]]`. */
export type LinkKind = 'link' | 'embed' | 'property'

/**
 * How a link is written, which determines how its target is decoded and looked up. `reference` is `[x][r]` with a separate
 * definition, `canvas` is the `file` of a canvas card or the `background` of a group, and `page` is Logseq's `#[[x]]`.
 */
export type LinkForm = 'wikilink' | 'markdown' | 'reference' | 'html' | 'canvas' | 'page'

/** One occurrence of an internal link in a file. External links are not part of the graph. */
export interface Link {
  readonly kind: LinkKind
  readonly form: LinkForm
  /**
   * The name to look up, as written, without subpath, display text and surrounding whitespace. In Markdown forms, backslash escapes,
   * character references and percent-encoding are decoded. Empty for `[[#heading]]`.
   */
  readonly target: string
  /** Text after the first `#`: `Heading`, `Heading#Sub` or `^block`. */
  readonly subpath?: string
  readonly display?: string
  /** For `kind: 'property'`, the property's name as written. Nested names are joined with `.`. */
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
  /** Heading text as written, trimmed, without the `#`s around it. */
  readonly text: string
  /** 1-based line in the file. */
  readonly line: number
}

/** A list item with a checkbox, such as `- [ ] water the roses`, or, in Logseq, with a keyword, such as `- TODO water the roses`. */
export interface Task {
  /** 1-based line in the file. */
  readonly line: number
  /** `other` if the checkbox contains neither a space nor an x, such as `[-]`, or the keyword marks the task as cancelled. */
  readonly state: 'open' | 'done' | 'other'
}

export interface Tag {
  /** The spelling of the first occurrence, without the leading `#` and trailing `/`. */
  readonly name: string
  readonly line: number
  /** True if it appears in the body rather than in a property. */
  readonly inBody: boolean
}

export interface MalformedPart {
  readonly line: number
  /** One sentence that describes the problem for a person. */
  readonly message: string
}

/** Everything parsed from a note's text. Links are resolved later. */
export interface Note {
  /** The `title` property if it is a non-empty string or a number. */
  readonly title?: string
  /** Text of the first level-1 heading, as written. */
  readonly h1?: string
  /** In order, without duplicates. */
  readonly aliases: readonly string[]
  /** One tag per folded name, in order of first appearance. Tags from properties come first. */
  readonly tags: readonly Tag[]
  /** Frontmatter as plain JSON values, with keys as written. Empty if there is none or it is malformed. */
  readonly properties: Readonly<Record<string, unknown>>
  /** Ordered by position in the file. */
  readonly links: readonly Link[]
  readonly headings: readonly Heading[]
  /** Ids of `^blocks` without the `^`, in order. */
  readonly blocks: readonly string[]
  /** Ordered by position in the file. Only notes have tasks. */
  readonly tasks: readonly Task[]
  /** UTF-16 offset of the first character after the frontmatter and BOM. */
  readonly bodyStart: number
  readonly malformed: readonly MalformedPart[]
  /**
   * Counts used to distinguish a docs folder from a vault. They are the same in all modes but `logseq`, where indented bullets are
   * text rather than code. That mode is chosen by a marker folder, never by these counts.
   */
  readonly style: { readonly wikilinks: number; readonly relativeLinks: number }
}
