import type { TextSlot } from '../../core/text/link-slots.ts'
import { type CanvasText, sourceOffsets } from '../json-canvas/canvas-json.ts'
import { mappedPassage, type Passage } from './passage.ts'

/** The Markdown of a canvas card in its JSON string. */
export function cardPassage(file: string, card: CanvasText): Passage {
  const sources = new Uint32Array(card.value.length + 1)
  const sourceOf = sourceOffsets(file, card)
  for (let i = 0; i < sources.length; i++) sources[i] = sourceOf(i)
  return mappedPassage(card.value, sources, (text) => jsonContent(text, ''))
}

/** A slot for the whole of a JSON string; `prefix` stands before what it says. */
export function stringSlot(file: string, { start, end }: CanvasText, prefix = ''): TextSlot {
  const raw = file.slice(start + 1, end - 1)
  return { start: start + 1 + prefix.length, end: end - 1, write: (value) => jsonContent(value, raw) }
}

/** What stands between the quotes of a JSON string; slashes and letters beyond ASCII are escaped where `like` escapes them. */
function jsonContent(value: string, like: string): string {
  let text = JSON.stringify(value).slice(1, -1)
  if (like.includes('\\/')) text = text.replaceAll('/', '\\/')
  return /\\u(?!00[0-7])/i.test(like) ? text.replace(/[^\0-\x7f]/g, escaped) : text
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
