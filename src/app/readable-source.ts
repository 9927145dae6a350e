import type { Node } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import { canvasProse } from '../markdown/canvas-prose.ts'

/** The text of a node as it was indexed for search: of a canvas what its cards say, of a note itself. */
export function readableSource({ kind }: Pick<Node, 'kind'>, source: NoteText): NoteText {
  return kind === 'canvas' ? { ...source, text: canvasProse(source.text) } : source
}
