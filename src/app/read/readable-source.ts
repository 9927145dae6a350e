import type { Node } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { canvasProse } from '../../markdown/json-canvas/canvas-json.ts'

/** Returns a part of the text as readers see it. In a canvas, they see only the cards. */
export function shownText({ kind }: Pick<Node, 'kind'>, text: string): string {
  return kind === 'canvas' ? text.trim().replace(/ {2,}/g, ' ') : text
}

/** Returns a node's text as it is indexed for search. For a canvas, this is the text of its cards. */
export function readableSource({ kind }: Pick<Node, 'kind'>, source: NoteText): NoteText {
  return kind === 'canvas' ? { ...source, text: canvasProse(source.text) } : source
}
