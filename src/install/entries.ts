import { applyEdits, type Edit, getNodeValue, type Node } from 'jsonc-parser'
import { quietly } from '../core/quietly.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import type { Entry, EntryPlace } from './clients.ts'
import { findProperty, type JsonDocument, parseDocument, requireObject, valueNode } from './json-document.ts'

/**
 * Returns all servers in a settings file, by name.
 * @throws RouxError `INVALID_SETTINGS` if the file is not JSON or stores servers differently
 */
export function listEntries(source: string, { file, key }: Omit<EntryPlace, 'name'>): ReadonlyMap<string, unknown> {
  const document = parseDocument(source, file)
  const section = findSection(document, key)
  return new Map(
    (section?.children ?? []).map((property): [string, unknown] => [
      String(property.children?.[0]?.value),
      getNodeValue(valueNode(property)),
    ]),
  )
}

/**
 * Adds an entry after the others, or replaces the entry with the same name. Comments, line endings and other white space are
 * preserved.
 * @throws RouxError `INVALID_SETTINGS` if the file is not JSON or stores servers differently
 */
export function putEntry(source: string, place: EntryPlace, entry: Entry): string {
  const { file, key, name } = place
  const document = parseDocument(source, file)
  const layout = layoutOf(document)
  const { root } = document
  if (root === undefined) return document.mark + beginDocument(document.text, { [key]: { [name]: entry } }, layout)
  const section = findSection(document, key)
  const property = section && findProperty(document, section, name)
  const edits = property
    ? [replaceValue(document, property, entry)]
    : section
      ? insertProperty(document, section, [name, entry])
      : insertProperty(document, root, [key, { [name]: entry }])
  const result = document.mark + applyEdits(document.text, [...edits])
  const before = getNodeValue(root)
  return checked(result, place, { ...before, [key]: { ...before[key], [name]: entry } })
}

/**
 * Removes an entry. `earlier` holds versions of the file, newest first. If adding the entry to one of them yields this file, that
 * version is restored with its formatting.
 * @throws RouxError `INVALID_SETTINGS` if the file is not JSON or stores servers differently
 */
export function removeEntry(source: string, place: EntryPlace, earlier: readonly string[] = []): string {
  const { file, key, name } = place
  const document = parseDocument(source, file)
  const section = findSection(document, key)
  const property = section && findProperty(document, section, name)
  if (section === undefined || property === undefined) return source
  const entry = getNodeValue(valueNode(property)) as Entry
  const formerText = earlier.find((text) => leadsTo(text, { source, place, entry }))
  if (formerText !== undefined) return formerText
  const before = getNodeValue(document.root as Node)
  const { [name]: _, ...others } = before[key]
  const expected = { ...before, [key]: others }
  for (const text of removeProperty(document, section, property)) {
    if (parsesAs(document.mark + text, file, expected)) return document.mark + text
  }
  throw new Error(`"${name}" cannot be removed from ${file}`)
}

function findSection(document: JsonDocument, key: string): Node | undefined {
  if (document.root === undefined) return undefined
  const property = findProperty(document, requireObject(document, document.root, 'the content'), key)
  return property && requireObject(document, valueNode(property), `"${key}"`)
}

function leadsTo(
  earlier: string,
  { source, place, entry }: { readonly source: string; readonly place: EntryPlace; readonly entry: Entry },
): boolean {
  return quietly(() => !listEntries(earlier, place).has(place.name) && putEntry(earlier, place, entry) === source) ?? false
}

function beginDocument(text: string, value: unknown, layout: Layout): string {
  const gap = text.trim() === '' || /[\r\n]$/.test(text) ? '' : layout.eol
  return `${text}${gap}${renderValue(value, { indent: '', layout })}${layout.eol}`
}

function replaceValue({ text, ...document }: JsonDocument, property: Node, entry: Entry): Edit {
  const { offset, length } = valueNode(property)
  const rendering = { indent: indentOf(text, property.offset), layout: layoutOf({ text, ...document }) }
  return { offset, length, content: renderValue(entry, rendering) }
}

function insertProperty(document: JsonDocument, object: Node, [name, value]: readonly [string, unknown]): readonly Edit[] {
  const { text } = document
  const layout = layoutOf(document)
  const [first, last] = [object.children?.[0], object.children?.at(-1)]
  if (first === undefined || last === undefined) return insertFirst(document, object, [name, value])
  const end = last.offset + last.length
  const comma = findComma(text, end)
  const indentation = text.slice(object.offset + 1, first.offset)
  if (!/[\r\n]/.test(indentation)) {
    const flat = renderProperty(name, value, { indent: '', layout: { ...layout, isFlat: true } })
    const spaced = `${indentation.trim() === '' ? indentation : ' '}${flat}`
    return [comma === undefined ? insert(end, `,${spaced}`) : insert(comma + 1, `${spaced},`)]
  }
  const indent = indentInside(document, object, layout)
  const line = `${layout.eol}${indent}${renderProperty(name, value, { indent, layout })}`
  // A trailing comment stays next to the last property.
  if (comma !== undefined) return [insert(endOfRemark(text, comma + 1), `${line},`)]
  return [insert(end, ','), insert(endOfRemark(text, end), line)]
}

function insert(offset: number, content: string): Edit {
  return { offset, length: 0, content }
}

function insertFirst(document: JsonDocument, object: Node, [name, value]: readonly [string, unknown]): readonly Edit[] {
  const { text } = document
  const layout = layoutOf(document)
  const start = object.offset + 1
  const inside = text.slice(start, object.offset + object.length - 1)
  const indent = indentInside(document, object, layout)
  const property = renderProperty(name, value, { indent, layout })
  const line = `${layout.eol}${indent}${property}`
  if (inside.trim() !== '') return [insert(start + trimEndOf(inside, ' \t\r\n').length, line)]
  const content = layout.isFlat ? property : `${line}${layout.eol}${indentOf(text, object.offset)}`
  return [{ offset: start, length: inside.length, content }]
}

/** Returns the result, and throws if it changes anything but the entry, which guards against bugs. */
function checked(result: string, { file, name }: EntryPlace, expected: unknown): string {
  if (parsesAs(result, file, expected)) return result
  throw new Error(`"${name}" cannot be added to ${file}`)
}

function parsesAs(source: string, file: string, expected: unknown): boolean {
  try {
    const { root } = parseDocument(source, file)
    // The values are compared as text, because the order of properties matters.
    return root !== undefined && JSON.stringify(getNodeValue(root)) === JSON.stringify(expected)
  } catch {
    return false
  }
}

/** Returns candidates, best first. The first one also removes white space, which could move text into a comment. */
function removeProperty(document: JsonDocument, object: Node, property: Node): readonly string[] {
  const { text } = document
  const start = property.offset
  const end = start + property.length
  const comma = findComma(text, end)
  const commas = comma === undefined ? commaBefore(text, object, property) : [removal(comma, comma + 1)]
  const close = object.offset + object.length - 1
  const rest = text.slice(object.offset + 1, start) + text.slice(end, close)
  if (object.children?.length === 1 && /^[\s,]*$/.test(rest)) return [applyEdits(text, [removal(object.offset + 1, close)])]
  const breakLength = /(?:\r\n|\n|\r)?[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  return [start - breakLength, start].map((from) => applyEdits(text, [removal(from, end), ...commas]))
}

function commaBefore(text: string, object: Node, property: Node): readonly Edit[] {
  const { children = [] } = object
  const previous = children[children.indexOf(property) - 1]
  const comma = previous && findComma(text, previous.offset + previous.length)
  return comma === undefined ? [] : [removal(comma, comma + 1)]
}

function removal(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' }
}

export interface Layout {
  readonly eol: string
  readonly unit: string
  readonly isFlat: boolean
}

/** Returns the file's indentation and line ending. The defaults are two spaces and `\n`. */
function layoutOf({ text, root }: JsonDocument): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const isFlat = (root?.children ?? []).length > 0 && !/[\r\n]/.test(text.trim())
  const first = root?.children?.[0]
  const unit = first && isFirstOfLine(text, first.offset) ? indentOf(text, first.offset) : ''
  return { eol, unit: unit === '' ? '  ' : unit, isFlat }
}

function indentInside({ text }: JsonDocument, object: Node, { unit }: Layout): string {
  const last = object.children?.at(-1)
  if (last && isFirstOfLine(text, last.offset)) return indentOf(text, last.offset)
  return indentOf(text, object.offset) + unit
}

function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))?.[0] ?? ''
}

/** Renders a property. Continuation lines are indented, unless the file is on one line. */
function renderProperty(name: string, value: unknown, { indent, layout }: Rendering): string {
  return `${JSON.stringify(name)}${layout.isFlat ? ':' : ': '}${renderValue(value, { indent, layout })}`
}

export interface Rendering {
  readonly indent: string
  readonly layout: Layout
}

function renderValue(value: unknown, { indent, layout: { eol, unit, isFlat } }: Rendering): string {
  if (isFlat) return JSON.stringify(value)
  // Tabs and line breaks within strings are escaped, so the replacements only affect the layout.
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

/** Finds the next comma and skips comments. @returns `undefined` if other text comes first */
function findComma(text: string, from: number): number | undefined {
  const at = endOf(/(?:\s|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y, text, from)
  return text[at] === ',' ? at : undefined
}

/** Returns the offset after any comments on the same line. */
function endOfRemark(text: string, from: number): number {
  return endOf(/(?:[ \t]*\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y, text, from)
}

function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from
  return from + (sticky.exec(text)?.[0].length ?? 0)
}
