import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { editText } from '../../core/text/edit-text.ts'
import { bodyStartOf, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { MAX_LENGTH } from '../frontmatter/yaml-frontmatter.ts'
import type { FrontmatterTree } from './frontmatter-tree.ts'
import { lineEndingOf, nextLine, startOfLine, withLineEnding } from './lines.ts'
import { withoutNoOps } from './text-edits.ts'
import { type WrittenValue, writeKey } from './write-yaml.ts'

type Properties = Readonly<Record<string, unknown>>

export function addProperties(tree: FrontmatterTree, added: ReadonlyMap<string, WrittenValue>): readonly TextEdit[] {
  if (added.size === 0 || tree.form === 'flow') return []
  const { text, start, fences, indent } = tree
  const lines = [...added].map(([key, { head, body }]) => indented(`${writeKey(key)}:${head}\n${body}`, indent)).join('')
  const at = fences?.to ?? start
  const source = fences ? lines : `---\n${lines}---\n`
  return [{ start: at, end: at, text: withLineEnding(source, lineEndingOf(text)) }]
}

export function editPairs(
  tree: FrontmatterTree,
  added: ReadonlyMap<string, unknown>,
  dropped: ReadonlySet<string>,
): readonly TextEdit[] {
  const { text, fences, entries } = tree
  const pairs = [...added].map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  const items = entries.map(({ key, start, end }) => ({ start, end, keep: !dropped.has(key) }))
  return editSeparated(text, items, { added: pairs, separator: ', ', empty: text.indexOf('{', fences?.from) + 1 })
}

export function indented(lines: string, indent: string): string {
  return indent === '' ? lines : lines.replace(/^(?=[^\n])/gm, indent)
}

/**
 * Sorts the edits, removes empty frontmatter and checks the result.
 * @throws RouxError `EDIT_MISMATCH` if the edits change the body or `isExpected` returns false; `TOO_LARGE` for frontmatter over
 * 512 KB
 */
export function frontmatterEdits(
  tree: FrontmatterTree,
  edits: readonly TextEdit[],
  isExpected: (after: string, properties: Properties) => boolean,
): readonly TextEdit[] {
  const effectiveEdits = withoutNoOps(
    tree.text,
    edits.toSorted((a, b) => a.start - b.start || a.end - b.end),
  )
  if (effectiveEdits.length === 0) return effectiveEdits
  const unfenced = withoutFences(tree, effectiveEdits)
  if (unfenced && isExact(tree, unfenced, isExpected)) return unfenced
  if (isExact(tree, effectiveEdits, isExpected)) return effectiveEdits
  const { from, to } = tree.fences ?? { from: 0, to: 0 }
  if (to - from + effectiveEdits.reduce((sum, { text }) => sum + text.length, 0) > MAX_LENGTH) {
    throw new RouxError('TOO_LARGE', 'The frontmatter would be larger than 512 KB.', { hint: 'Move long text into the body.' })
  }
  throw new RouxError('EDIT_MISMATCH', 'The frontmatter is written in a form that cannot be edited exactly.', {
    hint: 'Write the property in the usual form, `key: value`, and try again.',
  })
}

function withoutFences({ text, start, fences }: FrontmatterTree, edits: readonly TextEdit[]): readonly TextEdit[] | undefined {
  if (!fences || editText(text, edits).slice(fences.from).length !== text.length - fences.to) return undefined
  return [{ start, end: fences.end, text: '' }]
}

function isExact(
  { text }: FrontmatterTree,
  edits: readonly TextEdit[],
  isExpected: (after: string, properties: Properties) => boolean,
): boolean {
  const after = editText(text, edits)
  const { properties, malformed, end } = readFrontmatter(after)
  return malformed.length === 0 && after.slice(end) === text.slice(bodyStartOf(text)) && isExpected(after, properties)
}

export interface SeparatedItem {
  readonly start: number
  readonly end: number
  readonly keep: boolean
}

export interface Additions {
  readonly added: readonly string[]
  readonly separator: string
  readonly empty: number
}

/** Removes each item with one separator, and adds new items after the last remaining one. */
export function editSeparated(text: string, items: readonly SeparatedItem[], additions: Additions): readonly TextEdit[] {
  const { added, separator, empty } = additions
  const lastKept = items.findLast(({ keep }) => keep)
  if (!lastKept) return [replaceAll(text, items, { added, separator, empty })]
  const edits = [{ start: lastKept.end, end: lastKept.end, text: added.map((item) => separator + item).join('') }]
  for (let i = 0; i < items.length; i++) {
    if (items[i]?.keep) continue
    const first = i
    while (i + 1 < items.length && !items[i + 1]?.keep) i++
    edits.push(drop(text, items, [first, i]))
  }
  return edits.sort((a, b) => a.start - b.start)
}

function replaceAll(text: string, items: readonly SeparatedItem[], { added, separator, empty }: Additions): TextEdit {
  const start = items[0]?.start ?? empty
  const end = items.at(-1)?.end ?? empty
  // A trailing comma is removed from an empty list.
  const comma = added.length === 0 && items.length > 0 ? (/^\s*,/.exec(text.slice(end, end + 1000))?.[0].length ?? 0) : 0
  return { start, end: end + comma, text: added.join(separator) }
}

function drop(text: string, items: readonly SeparatedItem[], [first, last]: readonly [number, number]): TextEdit {
  const { start } = items[first] as SeparatedItem
  const { end } = items[last] as SeparatedItem
  const before = items[first - 1]
  const after = items[last + 1]
  const gap = before ? text.slice(before.end, start) : ''
  if (after && (!before || gap.includes('\n'))) return { start, end: after.start, text: '' }
  const isParted = text.slice(before?.end ?? end, after?.start ?? end).includes(',')
  // A comma stays even if the items are otherwise separated by spaces.
  if (before && after && isParted && !text.slice(end, after.start).includes(',')) {
    return gap.includes(',') ? { start, end: after.start, text: '' } : { start: before.end, end: after.start, text: ', ' }
  }
  // The comment of the previous item stays.
  if (gap.includes('#')) return { start: startOfLine(text, start), end: nextLine(text, end), text: '' }
  return { start: before?.end ?? start, end, text: '' }
}
