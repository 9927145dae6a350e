import { readCanvasNodes } from './canvas-json.ts'

/**
 * What the text cards of a canvas say, for search: as long as the file, with each card where it stands in it and everything else made
 * spaces, so that offsets and lines are the file's. Line breaks within a card become spaces, too; a malformed canvas says nothing.
 */
export function canvasProse(source: string): string {
  const nodes = readCanvasNodes(source)
  const cards = 'malformed' in nodes ? [] : nodes.nodes.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const parts: string[] = []
  let at = 0
  for (const { value, start, end } of cards) {
    // Without escapes a card is shorter than what it is written as.
    parts.push(blank(source.slice(at, start)), ' ', value.replace(/[\n\r\u2028\u2029]/g, ' '))
    parts.push(' '.repeat(Math.max(0, end - start - 1 - value.length)))
    at = end
  }
  return parts.join('') + blank(source.slice(at))
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, (line) => ' '.repeat(line.length))
}
