import type { NodeId } from './ids.ts'

/** A query word after analysis (`search/words`). */
export interface WordTerm {
  readonly form: string
  readonly stem: string
  /** Found by every word of its stem, by its form alone, or by what begins with its form. */
  readonly match: 'stem' | 'form' | 'prefix'
  /** How often the query says it. */
  readonly count: number
  /** Alternatives if the word itself occurs nowhere: `node` and `js` for `node.js`. */
  readonly parts: readonly WordTerm[]
}

/** Words that must stand one after the other. */
export interface Phrase {
  readonly words: readonly PhraseWord[]
}

export interface PhraseWord {
  readonly form: string
  readonly stem: string
  /** Words after the first one of the phrase, ascending; a gap means that anything may stand there. */
  readonly offset: number
  readonly isPrefix: boolean
}

/** The values of `has:`. */
export const FEATURES = ['attachment', 'link', 'backlink', 'tag', 'alias', 'property'] as const
export type Feature = (typeof FEATURES)[number]

/** The values of `task:`; `any` includes other states, such as `[-]`. */
export const TASK_STATES = ['open', 'done', 'any'] as const
export type TaskState = (typeof TASK_STATES)[number]

/** The operand of a property comparison: numbers compare with the number, dates with the period. */
export interface Comparison {
  readonly operator: '<' | '<=' | '>' | '>='
  readonly number: number | undefined
  /** ms since the epoch, without `to`. */
  readonly period: { readonly from: number; readonly to: number } | undefined
}

/**
 * A condition on notes. Texts are folded (`foldName`, paths like ids) and analysed. `and` and `or` have at least two
 * parts, none of their own kind.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | Lookup

/** A condition that one look-up answers. */
export type Lookup =
  | { readonly kind: 'word'; readonly field: WordField; readonly word: Pick<WordTerm, 'form' | 'stem' | 'match'> }
  | { readonly kind: 'phrase'; readonly field: WordField; readonly phrase: Phrase }
  /** Nothing: a word of signs alone. */
  | { readonly kind: 'nothing' }
  /** With the tag or one nested in it. */
  | { readonly kind: 'tag'; readonly name: string }
  /** With the property, or with this value of it; the empty value asks for an empty one. */
  | { readonly kind: 'property'; readonly name: string; readonly value: string | undefined }
  /** With a value of the property that compares so. */
  | ({ readonly kind: 'comparison'; readonly name: string } & Comparison)
  /** With a link in that property, or with one that leads to any of these. */
  | { readonly kind: 'relation'; readonly name: string; readonly targets: readonly NodeId[] | undefined }
  /** That link to any of these, or that any of these links to; themselves left out. */
  | { readonly kind: 'links' | 'linkedfrom'; readonly nodes: readonly NodeId[] }
  /** These alone. */
  | { readonly kind: 'among'; readonly nodes: readonly NodeId[] }
  | { readonly kind: 'task'; readonly state: TaskState }
  /** Whose path contains the text. */
  | { readonly kind: 'path'; readonly text: string }
  /** The time range in ms since the epoch: `from` inclusive, `to` exclusive, ±Infinity if open. */
  | { readonly kind: 'time'; readonly field: 'created' | 'modified'; readonly from: number; readonly to: number }
  | { readonly kind: 'has'; readonly feature: Feature }

/** `any`: title, aliases or text. */
export type WordField = 'any' | 'title'
