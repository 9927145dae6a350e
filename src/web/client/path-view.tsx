import { useEffect, useRef } from 'preact/hooks'
import { Refused } from './api.ts'
import { NoteLink, plain } from './reader.tsx'
import { focus, graph, isCalm, map, note, numberOf, path, pathTo, titleOf, vault, view, writeAddress } from './state.ts'
import { useAnswer } from './use-answer.ts'

interface Found {
  readonly path: readonly string[]
  readonly length: number
  readonly hops: readonly {
    readonly from: string
    readonly to: string
    readonly line: number
    readonly text: string
    readonly direction: 'in' | 'out'
  }[]
}

/** How two notes are connected, each step with the sentence that makes it. */
export function PathView() {
  const from = focus.value
  const to = pathTo.value
  const answer = useAnswer<Found & { readonly alternatives?: readonly Found[] } & { readonly result?: null }>(
    'find_path',
    from === '' || to === '' ? undefined : { source: from, target: to, count: 3, avoid_hubs: true },
  )
  const shown = answer instanceof Refused || answer?.path === undefined ? [] : answer.path
  const key = shown.join('\n')
  useEffect(() => {
    path.value = shown
    const numbers = shown.flatMap((id) => numberOf(id) ?? [])
    if (numbers.length > 0) map.view?.goTo(numbers, isCalm())
    return () => {
      path.value = []
    }
  }, [key])
  return (
    <section class="list" aria-label="Path">
      <h2>How two notes are connected</h2>
      <p>
        From <strong>{note.value?.title ?? (from || '…')}</strong>
      </p>
      <NotePicker
        label="To"
        onPick={(id) => {
          pathTo.value = id
          writeAddress()
        }}
      />
      {from === '' && <p class="empty">Choose a note on the map first.</p>}
      {answer instanceof Refused && <p class="refused">{answer.message}</p>}
      {answer !== undefined && !(answer instanceof Refused) && answer.path === undefined && (
        <p class="empty">No links lead from one to the other.</p>
      )}
      {answer !== undefined && !(answer instanceof Refused) && answer.path !== undefined && (
        <>
          <Chain found={answer} />
          {(answer.alternatives ?? []).map((other) => (
            <details
              key={other.path.join()}
              onToggle={(event) => {
                path.value = event.currentTarget.open ? other.path : shown
              }}
            >
              <summary>Another way, {other.length} links</summary>
              <Chain found={other} />
            </details>
          ))}
        </>
      )}
      <button
        type="button"
        onClick={() => {
          pathTo.value = ''
          view.value = 'map'
          writeAddress()
        }}
      >
        Back to the map
      </button>
    </section>
  )
}

function Chain({ found: { path: ids, hops } }: { readonly found: Found }) {
  return (
    <ol class="chain">
      {ids.map((id, at) => (
        <li key={id}>
          <NoteLink link={{ to: id, kind: 'note' }}>{titleOf(id)}</NoteLink>
          {hops[at] && (
            <blockquote>
              {plain(hops[at].text)}{' '}
              <small>
                {titleOf(hops[at].direction === 'out' ? hops[at].from : hops[at].to)}, line {hops[at].line}
              </small>
            </blockquote>
          )}
        </li>
      ))}
    </ol>
  )
}

/** A field that completes titles. */
function NotePicker({ label, onPick }: { readonly label: string; readonly onPick: (id: string) => void }) {
  const titles = graph.value?.picture.titles ?? []
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (pathTo.value === '') field.current?.focus()
  }, [])
  const onChange = (event: Event): void => {
    const wanted = (event.currentTarget as HTMLInputElement).value.trim().toLowerCase()
    const at = titles.findIndex((title) => title.toLowerCase() === wanted)
    const id = graph.value?.picture.ids[at]
    if (id !== undefined) onPick(id)
  }
  return (
    <label class="picker">
      {label}
      <input
        ref={field}
        type="text"
        list="titles"
        onChange={onChange}
        placeholder="Title of a note"
        key={`${vault.value} ${pathTo.value}`}
        defaultValue={pathTo.value === '' ? '' : titleOf(pathTo.value)}
      />
      <datalist id="titles">
        {titles.slice(0, 5_000).map((title, at) => (
          <option key={graph.value?.picture.ids[at]} value={title} />
        ))}
      </datalist>
    </label>
  )
}
