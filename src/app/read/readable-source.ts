import type { Node } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { canvasProse } from '../../markdown/json-canvas/canvas-json.ts'

/** A part of this text as shown; there is nothing between the cards of a canvas. */
export function shownText({ kind }: Pick<Node, 'kind'>, text: string): string {
  return kind === 'canvas' ? text.trim().replace(/ {2,}/g, ' ') : text
}

/** The text of a node as indexed for search: a canvas's card texts, or the note itself. */
export function readableSource({ kind }: Pick<Node, 'kind'>, source: NoteText): NoteText {
  return kind === 'canvas' ? { ...source, text: canvasProse(source.text) } : source
}
