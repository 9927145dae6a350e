import type { NodeId } from './ids.ts'

/** A word of the query after analysis; see `search/words`. */
export interface WordTerm {
  readonly form: string
  readonly stem: string
  /**
   * The words that match. `stem`: words with the same stem. `form`: only this form. `prefix`: words that start with this form.
   */
  readonly match: 'stem' | 'form' | 'prefix'
  readonly count: number
  /** The alternatives if the word occurs nowhere, such as `node` and `js` for `node.js`. */
  readonly parts: readonly WordTerm[]
  /** The language in ISO 639-1. It is omitted if unclear. */
  readonly language?: string
}

/** A sequence of words. */
export interface Phrase {
  readonly words: readonly PhraseWord[]
}

export interface PhraseWord {
  readonly form: string
  readonly stem: string
  /** The position relative to the first word, in ascending order. A gap matches any word. */
  readonly offset: number
  readonly isPrefix: boolean
}

/** The values of the operator `has:`. */
export const FEATURES = ['attachment', 'link', 'backlink', 'tag', 'alias', 'property'] as const
export type Feature = (typeof FEATURES)[number]

/** The values of the operator `task:`. `any` includes states such as `[-]`. */
export const TASK_STATES = ['open', 'done', 'any'] as const
export type TaskState = (typeof TASK_STATES)[number]

/** A comparison of property values. Numbers are compared with `number`, and dates with `period`. */
export interface Comparison {
  readonly operator: '=' | '<' | '<=' | '>' | '>='
  readonly number: number | undefined
  /** The period in milliseconds since the Unix epoch. Its end is exclusive. */
  readonly period: { readonly from: number; readonly to: number } | undefined
}

/**
 * A condition on notes. Strings are folded (paths with `foldId`, others with `foldName`) and analyzed. `and` and `or` have at
 * least two parts, none of the same kind.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | Lookup

/** A condition that needs a single lookup. */
export type Lookup =
  | { readonly kind: 'word'; readonly field: WordField; readonly word: Pick<WordTerm, 'form' | 'stem' | 'match'> }
  | { readonly kind: 'phrase'; readonly field: WordField; readonly phrase: Phrase }
  /** A condition that no note meets, for example for a word of punctuation. */
  | { readonly kind: 'nothing' }
  /** The condition also matches nested tags. */
  | { readonly kind: 'tag'; readonly name: string }
  /** If `value` is given, the property must have this value. An empty string matches empty values. */
  | { readonly kind: 'property'; readonly name: string; readonly value: string | undefined }
  | ({ readonly kind: 'comparison'; readonly name: string } & Comparison)
  /** If `targets` is given, a link in the property must lead to one of them. */
  | { readonly kind: 'relation'; readonly name: string; readonly targets: readonly NodeId[] | undefined }
  /** The note links to one of `nodes`, or one of `nodes` links to the note. The nodes themselves do not match. */
  | { readonly kind: 'links' | 'linkedfrom'; readonly nodes: readonly NodeId[] }
  /**
   * The note links to, or is linked from, notes and canvases that meet the condition, even outside the scope. Self-links do not
   * count.
   */
  | { readonly kind: 'set'; readonly field: 'links' | 'linkedfrom'; readonly condition: Condition }
  | { readonly kind: 'among'; readonly nodes: readonly NodeId[] }
  | { readonly kind: 'task'; readonly state: TaskState }
  /** The folder has no leading or trailing slash. Notes in its subfolders match, too. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'path'; readonly text: string }
  /**
   * The note's time is in a range of milliseconds since the Unix epoch. `from` is inclusive, `to` exclusive; open ends are
   * ±Infinity.
   */
  | { readonly kind: 'time'; readonly field: 'created' | 'modified'; readonly from: number; readonly to: number }
  | { readonly kind: 'has'; readonly feature: Feature }

/** The texts to search. `any` stands for title, aliases and text. */
export type WordField = 'any' | 'title'
