import type { Comparison, Feature, TaskState } from '../../core/query.ts'

/** Offsets in the text of a query, in UTF-16 units; `end` is behind the last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** How words are meant: one word, words in this order, or the beginning of a word. */
export type TextForm = 'word' | 'phrase' | 'prefix'

export type TimeField = 'created' | 'modified'

/** A query as it was understood; texts are as typed, not folded. */
export type Query = { readonly kind: 'all' } | QueryPart

/** `and` and `or` have at least two parts, none of their own kind. */
export type QueryPart =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly QueryPart[]; readonly span: Span }
  | { readonly kind: 'not'; readonly part: QueryPart; readonly span: Span }
  | Term

/** A condition that one look-up answers. */
export type Term = { readonly span: Span } & (
  | { readonly kind: 'text' | 'title'; readonly form: TextForm; readonly text: string }
  /** Without `#` in front and `/` at the end. */
  | { readonly kind: 'tag'; readonly name: string }
  /** Without a value: the property exists, with any value. */
  | { readonly kind: 'property'; readonly name: string; readonly value: string | undefined }
  /** Compared with a number, a date, or, where it can be read as either, with both; `written` is that as typed. */
  | ({ readonly kind: 'comparison'; readonly name: string; readonly written: string } & Comparison)
  /** Without a title: there is such a link, wherever it leads. */
  | { readonly kind: 'relation'; readonly name: string; readonly title: string | undefined }
  /** Notes that link to a note, or that a note links to. */
  | { readonly kind: 'links' | 'linkedfrom'; readonly title: string }
  /** Notes of a community, by its id. */
  | { readonly kind: 'community'; readonly id: string }
  | { readonly kind: 'task'; readonly state: TaskState }
  | { readonly kind: 'path'; readonly text: string }
  | { readonly kind: 'type'; readonly value: string }
  /** From `from` up to but without `to`, in ms since the epoch, ±Infinity where open; `written` is the comparison as typed. */
  | { readonly kind: 'time'; readonly field: TimeField; readonly from: number; readonly to: number; readonly written: string }
  | { readonly kind: 'has'; readonly feature: Feature }
)
