import type { SectionMode } from '../../core/operations.ts'

export type { SectionMode }

export interface SectionEdit {
  /** Headings from the outside in, or the end of such a path, as much as makes it unique; or one `^block`. */
  readonly section: readonly string[]
  readonly mode: SectionMode
  readonly content: string
}
