import type { ChangedNote, ChangesAnswer } from '../../app/insight/changes-since.ts'
import { amount } from './amounts.ts'
import type { Paint } from './printer.ts'
import { printable } from './table.ts'

/** Renders an answer of `changes_since`; `undefined` for any other answer. */
export function renderChanges(value: unknown, paint: Paint): string | undefined {
  if (!isChanges(value)) return undefined
  const { notes, links, broken, fixed, orphans, rising, totals, since, state, cursor } = value
  const place = ({ id, line, text }: { readonly id: string; readonly line: number; readonly text: string }): string =>
    `${placeOf(id, line)}  ${text}`
  const parts: readonly Part[] = [
    { name: 'added', title: 'Added', lines: notes.added.map(noteLine) },
    { name: 'changed', title: 'Changed', lines: notes.changed.map(noteLine) },
    { name: 'moved', title: 'Moved', lines: notes.moved.map((note) => `${note.title}  ${note.from} → ${note.id}`) },
    { name: 'removed', title: 'Removed', lines: notes.removed.map(noteLine) },
    { name: 'gained', title: 'New links', lines: links.gained.map(({ from, to, line }) => `${placeOf(from, line)} → ${to}`) },
    {
      name: 'lost',
      title: 'Removed links',
      lines: links.lost.map(({ from, to, line }) => `${placeOf(from, line)} → ${to}`),
    },
    { name: 'broken', title: 'Newly broken links', lines: broken.map(place) },
    { name: 'fixed', title: 'No longer broken', lines: fixed.map(place) },
    { name: 'orphans', title: 'New notes without links', lines: orphans.map(noteLine) },
    { name: 'rising', title: 'Linked more', lines: rising.map(({ id, was, now }) => `${id}  ${was} → ${now}`) },
  ]
  const shown = parts.filter(({ lines }) => lines.length > 0)
  const heading = since === undefined ? 'The log does not reach further back.' : `Since ${localTime(since)}`
  return [
    `${paint('bold', heading)}\n`,
    ...(shown.length === 0 && since !== undefined
      ? ['Nothing changed.\n']
      : shown.map((part) => renderPart(part, totals, paint))),
    ...(state === undefined
      ? []
      : [
          `Now: ${amount(state.notes, 'note')}, ${amount(state.links, 'link')} among them, ${state.broken} broken, ${amount(state.orphans, 'note')} without any.\n`,
        ]),
    ...(cursor === null ? [] : [paint('faint', `Continue from here: roux changes-since --cursor ${printable(cursor)}\n`)]),
  ].join('\n')
}

interface Part {
  /** The key in `totals`. */
  readonly name: string
  readonly title: string
  readonly lines: readonly string[]
}

function renderPart({ name, title, lines }: Part, totals: ChangesAnswer['totals'], paint: Paint): string {
  const total = totals[name] ?? lines.length
  const more = total > lines.length ? [`  … ${total - lines.length} more: --limit ${total}`] : []
  return [paint('bold', `${title} (${total})`), ...lines.map((line) => `  ${printable(line)}`), ...more, ''].join('\n')
}

function noteLine({ id, title }: ChangedNote): string {
  return `${title}  ${id}`
}

function placeOf(id: string, line: number): string {
  return line === 0 ? id : `${id}:${line}`
}

/** Local time to the minute. */
function localTime(iso: string): string {
  const date = new Date(iso)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

function isChanges(value: unknown): value is ChangesAnswer {
  return typeof value === 'object' && value !== null && 'notes' in value && 'rising' in value && 'totals' in value
}
