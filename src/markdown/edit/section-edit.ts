import type { Flavour } from '../../core/note.ts'
import type { SectionMode } from '../../core/operations.ts'
import type { SectionHints } from '../outline.ts'

export type { SectionMode }

export interface SectionEdit {
  /** Headings from the outside in, or the end of such a path, as much as makes it unique; or one `^block`. */
  readonly section: readonly string[]
  readonly mode: SectionMode
  readonly content: string
  readonly flavour: Pick<Flavour, 'mode'>
}

export const EDITING_HINTS: SectionHints = {
  noHeadings: 'This note has no headings: edit its body with `append`, `prepend`, `replace_text` or `content`.',
  twins: 'Some have the same path: edit them with `replace_text`, or give one a block id like ^part.',
}
