import { useLayoutEffect, useState } from 'preact/hooks'
import type { FoundPath, Hop, PathAnswer } from '../../app/links/find-path.ts'
import { amount } from '../../core/text/format.ts'
import { useAnswer, useShown } from './hooks.ts'
import { plainText } from './plain-text.ts'
import { NoteLink, Refusal } from './reader.tsx'
import { NoteSearch } from './search.tsx'
import {
  bareId,
  focus,
  leavePath,
  map,
  numberOf,
  open,
  path,
  pathFrom,
  pathTo,
  showView,
  ties,
  titleOf,
  vault,
  writeAddress,
} from './state.ts'

export function PathView() {
  const from = pathFrom.value || focus.value
  const to = pathTo.value
  const { answer, error } = useAnswer<PathAnswer | { readonly result: null }>(
    'find_path',
    from === '' || to === '' ? undefined : { source: from, target: to, count: 3, avoid_hubs: true },
  )
  const paths = answer === undefined || 'result' in answer ? [] : [answer, ...answer.alternatives]
  const [openedKey, setOpenedKey] = useState('')
  const shownPath = paths.find((one) => keyOf(one) === openedKey) ?? paths[0]
  const shownIds = shownPath?.path ?? []
  const key = shownIds.join('\n')
  useShown(ties, shownPath?.hops.map(({ from, to }) => ({ from, to, kind: 'step' })) ?? [])
  useShown(path, shownIds)
  const numbers = shownIds.flatMap((id) => numberOf(id) ?? [])
  // The effect runs again, because notes of the path may be drawn later if the vault is only partly drawn.
  useLayoutEffect(() => {
    if (numbers.length > 0) map.view?.goTo(numbers)
  }, [key, numbers.length])
  return (
    <section class="list" aria-label="Path">
      <h2>How two notes are connected</h2>
      <NotePicker label="From" note={from} isFirst={from === ''} onChoose={startFrom} />
      <NotePicker
        label="To"
        note={to}
        isFirst={from !== '' && to === ''}
        onChoose={(id) => {
          // The path keeps its start, even if another note gets the focus.
          pathFrom.value = from
          pathTo.value = id
          writeAddress()
        }}
      />
      <Refusal of={error} />
      {answer !== undefined && paths.length === 0 && <p class="empty">No links lead from one to the other.</p>}
      {paths.slice(0, 1).map((first) => (
        <Chain key="first" of={first} />
      ))}
      {paths.slice(1).map((other) => (
        <details
          key={keyOf(other)}
          name="other-way"
          onToggle={(event) => {
            const { open: isOpen } = event.currentTarget
            setOpenedKey((before) => (isOpen ? keyOf(other) : before === keyOf(other) ? '' : before))
          }}
        >
          <summary>{pathSummary(other)}</summary>
          <Chain of={other} />
        </details>
      ))}
      <button
        type="button"
        onClick={() => {
          leavePath()
          showView('map')
        }}
      >
        Back to the map
      </button>
    </section>
  )
}

interface NotePickerOptions {
  readonly label: string
  readonly note: string
  readonly isFirst: boolean
  readonly onChoose: (id: string) => void
}

function NotePicker({ label, note, isFirst, onChoose }: NotePickerOptions) {
  return (
    <div class="picker">
      {label}
      <NoteSearch
        key={vault.value}
        id={`path-${label}`}
        list={`hits-${label}`}
        label={label}
        placeholder="Title of a note"
        chosen={note === '' ? '' : titleOf(note)}
        isFirst={isFirst}
        onChoose={({ id }) => onChoose(id)}
      />
    </div>
  )
}

function startFrom(id: string): void {
  pathFrom.value = id
  void open(id, { fly: false, isRead: false })
}

function keyOf({ path: ids }: FoundPath): string {
  return ids.join('\n')
}

function pathSummary({ path: ids, length }: FoundPath): string {
  const between = ids.slice(1, -1).map(titleOf)
  return `${amount(length, 'link')}${between.length === 0 ? '' : `, via ${between.join(', ')}`}`
}

function Chain({ of: { path: ids, hops } }: { readonly of: FoundPath }) {
  return (
    <ol class="chain">
      {ids.map((id, at) => (
        <li key={id}>
          <NoteLink to={id} />
          {hops[at] && <LinkText of={hops[at]} />}
        </li>
      ))}
    </ol>
  )
}

function LinkText({ of: { direction, from, to, line, text } }: { readonly of: Hop }) {
  const id = direction === 'out' ? from : to
  return (
    <blockquote>
      {plainText(text)}{' '}
      <small>
        <NoteLink to={id} line={line}>
          {bareId(id)}, line {line}
        </NoteLink>
      </small>
    </blockquote>
  )
}
