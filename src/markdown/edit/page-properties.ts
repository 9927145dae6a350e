import type { TextEdit } from '../../core/changes.ts'
import type { Mode } from '../../core/note.ts'
import { scanBlocks } from '../blocks.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'
import { LineIndex } from '../line-index.ts'
import { isPageKey, type PageProperty, pageProperties } from '../logseq.ts'
import { invalid, requireLine } from './given-text.ts'
import { lineEndingOf, nextLine, startOfLine } from './lines.ts'
import { requireProperties, setProperties } from './set-properties.ts'

/**
 * Sets properties, and removes those that are `null`. If the first block of a Logseq page has properties (`key:: value`) and there is
 * no frontmatter, new ones are added to the block.
 * @throws RouxError as `setProperties` does; `INVALID_PARAMS` for a value that does not fit on one line
 */
export function setNoteProperties(text: string, changes: Readonly<Record<string, unknown>>, mode: Mode): readonly TextEdit[] {
  const lines = pageLines(text, mode)
  if (lines.length === 0) return setProperties(text, changes)
  const others: [string, unknown][] = []
  const edits: TextEdit[] = []
  for (const [name, value] of requireProperties(changes)) {
    const line = lines.find(({ key }) => key === name) ?? lines.find(({ key }) => key.toLowerCase() === name.toLowerCase())
    if (line !== undefined) edits.push(...setPageLine(text, line, value))
    if (line === undefined || value === null) others.push([name, value])
  }
  edits.sort((a, b) => a.start - b.start)
  if (bodyStartOf(text) > 0) return [...setProperties(text, Object.fromEntries(others)), ...edits]
  return addPageLines(text, lines, others, edits)
}

/** Adds lines after the last property, or in its place if `edits` remove it. */
export function addPageLines(
  text: string,
  lines: readonly PageProperty[],
  properties: readonly (readonly [name: string, value: unknown])[],
  edits: readonly TextEdit[] = [],
): readonly TextEdit[] {
  const added = properties.filter(([, value]) => value !== null)
  const last = lines.at(-1)
  if (last === undefined || added.length === 0) return edits
  const before = text.slice(startOfLine(text, last.start), last.start)
  const indent = before.replace(/\S/g, ' ') + (/^[ \t]*/.exec(text.slice(last.start))?.[0] ?? '')
  const [at, ending] = [nextLine(text, last.end), lineEndingOf(text)]
  const newLines = added.map(([name, value]) => `${indent}${requirePageKey(name)}:: ${lineTextOf(name, value)}`).join(ending)
  const others = edits.filter(({ start }) => start !== last.start)
  if (others.length < edits.length) {
    return [...others, { start: last.start, end: valueEndOf(text, last), text: newLines.slice(before.length) }]
  }
  return [...edits, { start: at, end: at, text: text.endsWith('\n', at) ? newLines + ending : ending + newLines }]
}

function requirePageKey(name: string): string {
  if (isPageKey(name)) return name
  throw invalid(
    'properties',
    `"${name}" cannot be a property of this page.`,
    'A name consists of letters, digits, _, -, . and /.',
  )
}

/** Returns the lines `key:: value` of a Logseq page. The list is empty in other vaults. */
export function pageLines(text: string, mode: Mode | undefined): readonly PageProperty[] {
  if (mode !== 'logseq') return []
  const { runs } = scanBlocks(text, bodyStartOf(text), new LineIndex(), { isOutline: true })
  return pageProperties(text, runs[0])
}

export function setPageLine(text: string, line: PageProperty, value: unknown): readonly TextEdit[] {
  const { key, value: old, start, valueStart, end } = line
  const valueEnd = valueEndOf(text, line)
  if (value === null) {
    // Only the property goes, while the bullet of the block stays.
    const isWholeLine = start === 0 || text.charAt(start - 1) === '\n'
    return [{ start, end: isWholeLine ? nextLine(text, end) : valueEnd, text: '' }]
  }
  const written = lineTextOf(key, value)
  return written === old ? [] : [{ start: valueStart, end: valueEnd, text: ` ${written}` }]
}

function valueEndOf(text: string, { valueStart, end }: PageProperty): number {
  return valueStart + text.slice(valueStart, end).trimEnd().length
}

function lineTextOf(key: string, value: unknown): string {
  return (Array.isArray(value) ? value : [value]).map((item) => lineText(key, item)).join(', ')
}

function lineText(key: string, value: unknown): string {
  if (typeof value === 'object') {
    throw invalid(key, 'the page has this property as a line of text, which cannot hold a mapping.', 'Give it a text or a list.')
  }
  return value === '' ? '' : requireLine(key, String(value))
}
