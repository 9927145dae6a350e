export type SectionMode = 'replace' | 'append' | 'prepend' | 'insert_before' | 'insert_after'

export interface SectionEdit {
  /** Headings from the outside in, or the end of such a path, as much as makes it unique; or one `^block`. */
  readonly section: readonly string[]
  readonly mode: SectionMode
  readonly content: string
}
