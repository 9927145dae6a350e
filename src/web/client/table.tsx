import { useMemo, useState } from 'preact/hooks'
import { amount } from '../../core/text/format.ts'
import { colorsOf } from './colors.ts'
import { dateOf } from './graph.ts'
import { MoreButton, NoteLink } from './reader.tsx'
import { COLLATOR, colored, focused, graph, isPart, lit, shown } from './state.ts'

type Column = 'title' | 'folder' | 'tags' | 'group' | 'incoming' | 'outgoing' | 'words' | 'changed'
const ROWS = 200
const NUMBERS = [
  ['incoming', 'Links in'],
  ['outgoing', 'Links out'],
  ['words', 'Words'],
  ['changed', 'Changed'],
] as const
const DESCENDING: ReadonlySet<Column> = new Set(NUMBERS.map(([column]) => column))

/** A table of notes with the same filters as the map. It works without a canvas. */
export function Table() {
  const [sortColumn, setSortColumn] = useState<Column>('incoming')
  const [isAscending, setAscending] = useState(false)
  const [rows, setRows] = useState(ROWS)
  const [filter, setFilter] = useState('')
  const { value } = graph
  const communities = useMemo(() => value && colorsOf(value, 'community', colored.peek()), [value])
  if (value === undefined) return null
  const { picture } = value
  const facts = 'incoming' in picture ? picture : undefined
  const cells: Readonly<Record<Column, (note: number) => string | number>> = {
    title: (note) => picture.titles[note] ?? '',
    folder: (note) => picture.folder_names[picture.folders[note] ?? 0] ?? '',
    tags: (note) => (picture.tags[note] ?? []).map((tag) => `#${picture.tag_names[tag]}`).join(' '),
    group: (note) => picture.groups[picture.communities[note] ?? -1]?.label ?? '',
    incoming: (note) => facts?.incoming[note] ?? 0,
    outgoing: (note) => facts?.outgoing[note] ?? 0,
    words: (note) => facts?.words[note] ?? -1,
    changed: (note) => dateOf(facts?.modified[note]),
  }
  const cell = (note: number, column: Column): string | number => cells[column](note)
  const compare = (a: number, b: number): number => {
    const [x, y] = [cell(a, sortColumn), cell(b, sortColumn)]
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : COLLATOR.compare(String(x), String(y))
    return (isAscending ? order : -order) || a - b
  }
  const isNamed = (note: number): boolean => (picture.titles[note] ?? '').toLowerCase().includes(filter.trim().toLowerCase())
  const isListed = (note: number): boolean => shown.value[note] === 1 && lit.value?.has(note) !== false && isNamed(note)
  const notes = [...Array(value.count).keys()].filter(isListed).sort(compare)
  const files = notes.filter((note) => note >= value.notes).length
  const heading = (column: Column, name: string) => (
    <th
      class={DESCENDING.has(column) ? 'number' : undefined}
      aria-sort={sortColumn === column ? (isAscending ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        onClick={() => {
          setAscending(sortColumn === column ? !isAscending : !DESCENDING.has(column))
          setSortColumn(column)
        }}
      >
        {name} {sortColumn === column ? (isAscending ? '↑' : '↓') : ''}
      </button>
    </th>
  )
  return (
    <div class="table">
      <input
        type="search"
        placeholder="Filter titles"
        aria-label="Filter titles"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <table aria-label="Notes">
        <caption>
          {amount(notes.length - files, 'note')}
          {isPart.value &&
            ` of ${value.vault.notes.toLocaleString()}: the best linked. Filter by folder or tag for more of those.`}
          {files > 0 && ` and ${amount(files, 'other file')}`}
        </caption>
        <thead>
          <tr>
            {heading('title', 'Title')}
            {heading('folder', 'Folder')}
            {heading('tags', 'Tags')}
            {heading('group', 'Community')}
            {NUMBERS.map(([column, name]) => heading(column, name))}
          </tr>
        </thead>
        <tbody>
          {notes.slice(0, rows).map((note) => (
            <tr key={picture.ids[note]} aria-current={note === focused.value}>
              <td>
                <NoteLink to={picture.ids[note] ?? ''} />
              </td>
              <td title={String(cell(note, 'folder'))}>{String(cell(note, 'folder')).split('/').at(-1)}</td>
              <td>{cell(note, 'tags')}</td>
              <td data-name="Community">
                {cell(note, 'group') !== '' && (
                  <span class="chip" style={{ '--of': communities?.cssOf(note) }}>
                    {cell(note, 'group')}
                  </span>
                )}
              </td>
              {NUMBERS.map(([column, name]) => (
                <td key={column} class="number" data-name={name}>
                  {cell(note, column) === -1 ? '' : cell(note, column).toLocaleString()}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <MoreButton left={notes.length - rows} onMore={() => setRows(rows + 10 * ROWS)} />
    </div>
  )
}
