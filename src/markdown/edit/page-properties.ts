import type { TextEdit } from '../../core/changes.ts'
import type { Mode } from '../../core/note.ts'
import { scanBlocks } from '../blocks.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'
import { LineIndex } from '../line-index.ts'
import { type PageProperty, pageProperties } from '../logseq.ts'
import { invalid, requireLine } from './given-text.ts'
import { nextLine } from './lines.ts'
import { setProperties } from './set-properties.ts'

/**
 * Sets properties, and removes those that are `null`. In Logseq, a property that the first block has as `key:: value` is set there.
 * @throws RouxError as `setProperties` does; `INVALID_PARAMS` for a value that does not fit on one line
 */
export function setNoteProperties(text: string, changes: Readonly<Record<string, unknown>>, mode: Mode): readonly TextEdit[] {
  const lines = pageLines(text, mode)
  const lineOf = (name: string) =>
    lines.find(({ key }) => key === name) ?? lines.find(({ key }) => key.toLowerCase() === name.toLowerCase())
  const others = Object.entries(changes).filter(([name, value]) => value === null || lineOf(name) === undefined)
  const edits = Object.entries(changes).flatMap(([name, value]) => {
    const line = lineOf(name)
    return line === undefined ? [] : setPageLine(text, line, value)
  })
  return [...setProperties(text, Object.fromEntries(others)), ...edits.sort((a, b) => a.start - b.start)]
}

/** The lines `key:: value` of a Logseq page. Empty in other vaults. */
export function pageLines(text: string, mode: Mode | undefined): readonly PageProperty[] {
  if (mode !== 'logseq') return []
  const { runs } = scanBlocks(text, bodyStartOf(text), new LineIndex(), { isOutline: true })
  return pageProperties(text, runs[0])
}

export function setPageLine(
  text: string,
  { key, value: old, start, valueStart, end }: PageProperty,
  value: unknown,
): readonly TextEdit[] {
  const valueEnd = valueStart + text.slice(valueStart, end).trimEnd().length
  if (value === null) {
    // The bullet of the block stays.
    const isWholeLine = start === 0 || text.charAt(start - 1) === '\n'
    return [{ start, end: isWholeLine ? nextLine(text, end) : valueEnd, text: '' }]
  }
  const written = (Array.isArray(value) ? value : [value]).map((item) => lineText(key, item)).join(', ')
  return written === old ? [] : [{ start: valueStart, end: valueEnd, text: ` ${written}` }]
}

function lineText(key: string, value: unknown): string {
  if (typeof value === 'object') {
    throw invalid(key, 'the page has this property as a line of text, which cannot hold a mapping.', 'Give it a text or a list.')
  }
  return value === '' ? '' : requireLine(key, String(value))
}
