import type { Node } from 'jsonc-parser'
import type { JsonDocument } from './json-document.ts'

/** The layout of a file; additions follow it. */
export interface Layout {
  readonly eol: string
  /** One level of indentation. */
  readonly unit: string
  /** Everything is in one line. */
  readonly isFlat: boolean
}

/** The layout of a file; two spaces and `\n` where it does not tell. */
export function layoutOf({ text, root }: JsonDocument): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const isFlat = (root?.children ?? []).length > 0 && !/[\r\n]/.test(text.trim())
  const first = root?.children?.[0]
  const unit = first && isFirstOfLine(text, first.offset) ? indentOf(text, first.offset) : ''
  return { eol, unit: unit === '' ? '  ' : unit, isFlat }
}

/** The white space that a property of this object stands behind. */
export function indentInside({ text }: JsonDocument, object: Node, { unit }: Layout): string {
  const last = object.children?.at(-1)
  if (last && isFirstOfLine(text, last.offset)) return indentOf(text, last.offset)
  return indentOf(text, object.offset) + unit
}

/** The white space that the line of an offset begins with. */
export function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))?.[0] ?? ''
}

/** `"name": value`, the lines after the first one behind `indent`; all of it in one line where the file is. */
export function renderProperty(name: string, value: unknown, { indent, layout }: Rendering): string {
  return `${JSON.stringify(name)}${layout.isFlat ? ':' : ': '}${renderValue(value, { indent, layout })}`
}

export interface Rendering {
  readonly indent: string
  readonly layout: Layout
}

/** A value as JSON, laid out like the file. */
export function renderValue(value: unknown, { indent, layout: { eol, unit, isFlat } }: Rendering): string {
  if (isFlat) return JSON.stringify(value)
  // Tabs and line ends never stand in JSON but for layout.
  return JSON.stringify(value, undefined, '\t')
    .replace(/^\t*/gm, (tabs) => unit.repeat(tabs.length))
    .replaceAll('\n', eol + indent)
}

function startOfLine(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
}

function isFirstOfLine(text: string, offset: number): boolean {
  return startOfLine(text, offset) > 0 && text.slice(startOfLine(text, offset), offset).trim() === ''
}
