import { applyEdits, type Edit, type Node } from 'jsonc-parser'
import { findComma } from './commas.ts'
import type { JsonDocument } from './json-document.ts'

/**
 * The text without a property of an object, in the ways that may be right, the best first: with the white space in front of it, and,
 * where that would pull what follows into a comment, without. Comments stay.
 */
export function removeProperty(document: JsonDocument, object: Node, property: Node): readonly string[] {
  const { text } = document
  const start = property.offset
  const end = start + property.length
  const comma = findComma(text, end)
  const commas = comma === undefined ? commaBefore(text, object, property) : [cut(comma, comma + 1)]
  const close = object.offset + object.length - 1
  const rest = text.slice(object.offset + 1, start) + text.slice(end, close)
  if (object.children?.length === 1 && /^[\s,]*$/.test(rest)) return [applyEdits(text, [cut(object.offset + 1, close)])]
  const lead = /(?:\r\n|\n|\r)?[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  return [start - lead, start].map((from) => applyEdits(text, [cut(from, end), ...commas]))
}

/** The comma behind the property before this one: with the last property gone, it has nothing to part. */
function commaBefore(text: string, object: Node, property: Node): readonly Edit[] {
  const { children = [] } = object
  const previous = children[children.indexOf(property) - 1]
  const comma = previous && findComma(text, previous.offset + previous.length)
  return comma === undefined ? [] : [cut(comma, comma + 1)]
}

function cut(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' }
}
