import { MIN_PART } from '../../core/insight/picture.ts'
import { amount } from '../../core/text/format.ts'
import { groupingBy } from './graph.ts'
import { NoteRow, Rows } from './reader.tsx'
import { colored, deselect, graph, map, notesOf, openBy, openGroups, showGroups } from './state.ts'

const ROWS = 8

export function GroupPanel() {
  const { value } = graph
  const { value: by } = openBy
  if (value === undefined) return null
  const { degrees, pairs, picture } = value
  const { of, groups } = groupingBy(value, by)
  const notes = notesOf(value, openGroups.value, by)
  const within = new Set(notes)
  const mostLinked = notes.toSorted((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0) || a - b)
  const linkedGroups: number[] = []
  let innerLinks = 0
  for (let at = 0; at < pairs.length; at += 2) {
    const outer = [pairs[at] ?? 0, pairs[at + 1] ?? 0].filter((note) => !within.has(note))
    if (outer.length === 0) innerLinks++
    else if (outer.length === 1) linkedGroups.push(of[outer[0] ?? 0] ?? -1)
  }
  const parts = by === 'region' ? counted(notes.map((note) => picture.communities[note] ?? -1)) : []
  const largeParts = parts.filter(([, size]) => size >= MIN_PART)
  return (
    <div class="welcome">
      <h1>{[...openGroups.value].join(', ')}</h1>
      <p>
        <span class="dot" style={{ background: colored.value?.cssOf(mostLinked.at(-1)) }} /> {amount(notes.length, 'note')},{' '}
        {amount(innerLinks, 'link')} between them, {linkedGroups.length.toLocaleString()} to other groups.
      </p>
      <Rows title="Most linked" of="links">
        {mostLinked.slice(0, ROWS).map((note) => (
          <NoteRow key={note} id={picture.ids[note]} aside={degrees[note]?.toLocaleString()} />
        ))}
      </Rows>
      {largeParts.length > 1 && (
        <Rows title="Parts" of="notes">
          {largeParts.slice(0, ROWS).map(([part, size]) => (
            <Row
              key={part}
              name={picture.groups[part]?.label}
              count={size}
              act={() => map.view?.goTo(notes.filter((note) => picture.communities[note] === part))}
            />
          ))}
        </Rows>
      )}
      <Rows title="Linked groups" of="links">
        {counted(linkedGroups)
          .slice(0, ROWS)
          .map(([group, links]) => {
            const label = groups[group]?.label ?? ''
            return <Row key={group} name={label} count={links} act={() => showGroups(new Set([label]), by)} />
          })}
      </Rows>
      <button type="button" class="widens" onClick={deselect}>
        Show everything
      </button>
    </div>
  )
}

function counted(numbers: readonly number[]): readonly (readonly [number: number, count: number])[] {
  const counts = new Map<number, number>()
  for (const number of numbers) if (number >= 0) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

function Row({ name, count, act }: { readonly name: string | undefined; readonly count: number; readonly act: () => void }) {
  return (
    <li>
      <button type="button" onClick={act}>
        {name}
      </button>
      <small>{count.toLocaleString()}</small>
    </li>
  )
}
