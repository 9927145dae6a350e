import type { TextEdit } from '../../core/changes.ts'
import { nextLine, startOfLine } from './line-endings.ts'

export interface SeparatedItem {
  readonly start: number
  readonly end: number
  readonly keep: boolean
}

export interface Additions {
  /** The items to add, as they are written. */
  readonly added: readonly string[]
  readonly separator: string
  /** Where the first item goes when there is none. */
  readonly empty: number
}

/** Drops items of a list like `a, b`, each with one separator, and adds others behind the last one that is kept. */
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
  // A comma that ends the list may not stand alone in it.
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
  // Spaces may part items, too: what a comma parted, a comma parts.
  if (before && after && isParted && !text.slice(end, after.start).includes(',')) {
    return gap.includes(',') ? { start, end: after.start, text: '' } : { start: before.end, end: after.start, text: ', ' }
  }
  // The comment belongs to the item before: the comma before it stays and ends the list.
  if (gap.includes('#')) return { start: startOfLine(text, start), end: nextLine(text, end), text: '' }
  return { start: before?.end ?? start, end, text: '' }
}
