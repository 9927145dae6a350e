import type { NodeId } from './ids.ts'

/** A query word after analysis (see `search/words`). */
export interface WordTerm {
  readonly form: string
  readonly stem: string
  /** `stem` matches all words with the same stem, `form` only the exact form, and `prefix` all words that start with the form. */
  readonly match: 'stem' | 'form' | 'prefix'
  /** Number of times the word appears in the query. */
  readonly count: number
  /** Alternatives to use if the word itself occurs nowhere: `node` and `js` for `node.js`. */
  readonly parts: readonly WordTerm[]
  /** ISO 639-1 code of the query's language. Omitted if it is unclear. */
  readonly language?: string
}

/** Words that must appear in sequence. */
export interface Phrase {
  readonly words: readonly PhraseWord[]
}

export interface PhraseWord {
  readonly form: string
  readonly stem: string
  /** Position relative to the first word, in ascending order. A gap in the positions matches any word. */
  readonly offset: number
  readonly isPrefix: boolean
}

/** The values of the search operator `has:`. */
export const FEATURES = ['attachment', 'link', 'backlink', 'tag', 'alias', 'property'] as const
export type Feature = (typeof FEATURES)[number]

/** The values of the search operator `task:`. `any` includes other states, such as `[-]`. */
export const TASK_STATES = ['open', 'done', 'any'] as const
export type TaskState = (typeof TASK_STATES)[number]

/** The operand of a property comparison. Numeric properties are compared with `number`, and dates with `period`. */
export interface Comparison {
  readonly operator: '=' | '<' | '<=' | '>' | '>='
  readonly number: number | undefined
  /** Milliseconds since the Unix epoch; `to` is exclusive. */
  readonly period: { readonly from: number; readonly to: number } | undefined
}

/**
 * A condition on notes. Strings have been folded (paths with `foldId`, others with `foldName`) and analyzed. `and` and `or`
 * conditions have at least two parts. An `and` has no `and` among its parts, and an `or` has no `or`.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | Lookup

/** A condition that a single lookup can answer. */
export type Lookup =
  | { readonly kind: 'word'; readonly field: WordField; readonly word: Pick<WordTerm, 'form' | 'stem' | 'match'> }
  | { readonly kind: 'phrase'; readonly field: WordField; readonly phrase: Phrase }
  /** Matches nothing. Used, for example, for a word that consists only of punctuation. */
  | { readonly kind: 'nothing' }
  /** Matches the tag and tags nested in it. */
  | { readonly kind: 'tag'; readonly name: string }
  /**
   * Matches notes that have the property. If `value` is given, the property must have this value; an empty string matches empty
   * values.
   */
  | { readonly kind: 'property'; readonly name: string; readonly value: string | undefined }
  /** Matches notes with a property value that satisfies the comparison. */
  | ({ readonly kind: 'comparison'; readonly name: string } & Comparison)
  /** Matches notes with a link in the property. If `targets` is given, the link must lead to one of them. */
  | { readonly kind: 'relation'; readonly name: string; readonly targets: readonly NodeId[] | undefined }
  /** Matches notes that link to any of `nodes`, or are linked from any of them, excluding `nodes` themselves. */
  | { readonly kind: 'links' | 'linkedfrom'; readonly nodes: readonly NodeId[] }
  /**
   * Matches notes that link to, or are linked from, any note or canvas that meets the condition. A note's links to itself do not
   * count. The condition applies to all listed files, even outside the scope.
   */
  | { readonly kind: 'set'; readonly field: 'links' | 'linkedfrom'; readonly condition: Condition }
  | { readonly kind: 'among'; readonly nodes: readonly NodeId[] }
  | { readonly kind: 'task'; readonly state: TaskState }
  /** Matches notes in this folder and its subfolders, given without leading and trailing slashes. */
  | { readonly kind: 'folder'; readonly folder: string }
  /** Matches notes whose path contains the text. */
  | { readonly kind: 'path'; readonly text: string }
  /** A time range in milliseconds since the Unix epoch. `from` is inclusive, `to` exclusive; open ends are ±Infinity. */
  | { readonly kind: 'time'; readonly field: 'created' | 'modified'; readonly from: number; readonly to: number }
  | { readonly kind: 'has'; readonly feature: Feature }

/** `any` covers title, aliases and text. */
export type WordField = 'any' | 'title'
