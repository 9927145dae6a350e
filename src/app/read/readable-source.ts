import type { Node } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { canvasProse } from '../../markdown/json-canvas/canvas-json.ts'

/** A part of that as it is shown: between the cards of a canvas stands nothing. */
export function shownText({ kind }: Pick<Node, 'kind'>, text: string): string {
  return kind === 'canvas' ? text.trim().replace(/ {2,}/g, ' ') : text
}

/** The text of a node as it was indexed for search: of a canvas what its cards say, of a note itself. */
export function readableSource({ kind }: Pick<Node, 'kind'>, source: NoteText): NoteText {
  return kind === 'canvas' ? { ...source, text: canvasProse(source.text) } : source
}
