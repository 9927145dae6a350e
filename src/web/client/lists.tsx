import { useState } from 'preact/hooks'
import { Refused, type ToolAnswer } from './api.ts'
import { plainLine } from './plain-line.ts'
import { NoteLink } from './reader.tsx'
import { folder, graph, isCalm, map, marked, pane, titleOf } from './state.ts'
import { useAnswer } from './use-answer.ts'

interface Problem {
  readonly kind: string
  readonly id: string
  readonly line: number
  readonly text: string
}

/** What is wrong in the vault. */
export function Problems() {
  const [kind, setKind] = useState('')
  const scope = folder.value === '' ? {} : { folder: folder.value }
  const summary = useAnswer<{ counts: Record<string, number>; total: number }>('get_problems', { summary: true, ...scope })
  const answer = useAnswer<{ problems: readonly Problem[]; total: number }>('get_problems', {
    limit: 100,
    ...scope,
    ...(kind === '' ? {} : { kind }),
  })
  const counts = isAnswer(summary) ? Object.entries(summary.counts).filter(([, count]) => count > 0) : []
  return (
    <section class="list" aria-label="Problems">
      <h2>What needs care</h2>
      <p class="chips">
        <button type="button" aria-pressed={kind === ''} onClick={() => setKind('')}>
          all
        </button>
        {counts.map(([name, count]) => (
          <button type="button" key={name} aria-pressed={kind === name} onClick={() => setKind(name)}>
            {name.replaceAll('_', ' ')} {count}
          </button>
        ))}
      </p>
      <Status of={answer} />
      {isAnswer(answer) && answer.problems.length === 0 && <p class="empty">Nothing.</p>}
      <ul>
        {isAnswer(answer) &&
          answer.problems.map((one, at) => (
            <li key={`${one.id} ${one.line} ${at}`}>
              <NoteLink link={{ to: one.id, kind: one.kind === 'missing_note' ? 'missing' : 'note' }}>{titleOf(one.id)}</NoteLink>
              {one.line > 0 && <small> line {one.line}</small>}
              <div>{plainLine(one.text)}</div>
            </li>
          ))}
      </ul>
      {isAnswer(answer) && answer.total > answer.problems.length && (
        <p class="empty">and {answer.total - answer.problems.length} more</p>
      )}
    </section>
  )
}

interface GapsAnswer {
  readonly apart?: readonly {
    readonly of: readonly (string | { readonly label: string })[]
    readonly alike: number
    readonly nearest: readonly (readonly (string | { readonly id: string })[])[]
  }[]
  readonly cut?: readonly { readonly id: string; readonly falls_off: number }[]
  readonly wanted?: readonly {
    readonly name: string
    readonly notes: number
    readonly id?: string
    readonly sources: readonly ({ readonly id: string } | string)[]
  }[]
  readonly dead_ends?: { readonly total: number; readonly first: readonly (string | { readonly id: string })[] }
}

/** What is missing. */
export function Gaps() {
  const answer = useAnswer<GapsAnswer>('gaps', folder.value === '' ? {} : { folder: folder.value })
  return (
    <section class="list" aria-label="Gaps">
      <h2>What is missing</h2>
      <Status of={answer} />
      {isAnswer(answer) && (
        <>
          <h3>Alike, but hardly linked</h3>
          <ul>
            {(answer.apart ?? []).map((one) => (
              <li key={one.of.map(nameOf).join()}>
                <button type="button" class="plain" onClick={() => showCommunities(one.of)}>
                  {one.of.map(nameOf).join(' and ')}
                </button>
                {one.nearest.slice(0, 1).map(([a, b]) => (
                  <div key={idOf(a)}>
                    Nearest: <Note id={idOf(a)} /> and <Note id={idOf(b)} />
                  </div>
                ))}
              </li>
            ))}
          </ul>
          <h3>Notes that others hang on</h3>
          <ul>
            {(answer.cut ?? []).map(({ id, falls_off }) => (
              <li key={id}>
                <Note id={id} /> <small>{falls_off} notes are reached only by way of it</small>
              </li>
            ))}
          </ul>
          <h3>Wanted notes</h3>
          <ul>
            {(answer.wanted ?? []).map(({ name, notes, sources }) => (
              <li key={name}>
                {name} <small>{notes === 1 ? 'one note links' : `${notes} notes link`} to it:</small>{' '}
                {sources.slice(0, 3).map((source) => (
                  <Note key={idOf(source)} id={idOf(source)} />
                ))}
              </li>
            ))}
          </ul>
          <h3>Dead ends {answer.dead_ends?.total ?? 0}</h3>
          <ul>
            {(answer.dead_ends?.first ?? []).map((one) => (
              <li key={idOf(one)}>
                <Note id={idOf(one)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

interface ChangedNote {
  readonly id: string
  readonly title: string
}

interface ChangesAnswer {
  readonly since: string
  readonly notes: Readonly<Record<'added' | 'changed' | 'removed' | 'moved', readonly ChangedNote[]>>
  readonly links: Readonly<
    Record<
      'gained' | 'lost',
      readonly { readonly from: string; readonly to: string; readonly line: number; readonly text: string }[]
    >
  >
  readonly broken: readonly { readonly id: string; readonly line: number; readonly text: string }[]
  readonly totals: Readonly<Record<string, number>>
}

/** What changed lately, whoever changed it. */
export function Changes() {
  const answer = useAnswer<ChangesAnswer>('changes_since', folder.value === '' ? {} : { folder: folder.value })
  return (
    <section class="list" aria-label="Changes">
      <h2>What changed</h2>
      {!isAnswer(answer) && <Status of={answer} />}
      {isAnswer(answer) && (
        <>
          <p class="empty">
            {Object.values(answer.totals).every((total) => total === 0) ? 'Nothing' : 'All'} since{' '}
            {new Date(answer.since).toLocaleString()}.
          </p>
          {(['added', 'changed', 'moved', 'removed'] as const).map((kind) => (
            <Group key={kind} title={kind} count={answer.notes[kind].length}>
              {answer.notes[kind].map((one) => (
                <li key={one.id}>{kind === 'removed' ? one.title : <Note id={one.id} />}</li>
              ))}
            </Group>
          ))}
          {(['gained', 'lost'] as const).map((kind) => (
            <Group key={kind} title={`links ${kind}`} count={answer.links[kind].length}>
              {answer.links[kind].map((one) => (
                <li key={`${one.from} ${one.line} ${one.to}`}>
                  <Note id={one.from} /> → <Note id={one.to} />
                  <div>{plainLine(one.text)}</div>
                </li>
              ))}
            </Group>
          ))}
          <Group title="broken" count={answer.broken.length}>
            {answer.broken.map((one) => (
              <li key={`${one.id} ${one.line}`}>
                <Note id={one.id} /> <small>line {one.line}</small>
                <div>{plainLine(one.text)}</div>
              </li>
            ))}
          </Group>
        </>
      )}
    </section>
  )
}

function Group({
  title,
  count,
  children,
}: {
  readonly title: string
  readonly count: number
  readonly children: preact.ComponentChildren
}) {
  if (count === 0) return null
  return (
    <details open={count < 30}>
      <summary>
        {title} {count}
      </summary>
      <ul>{children}</ul>
    </details>
  )
}

function Note({ id }: { readonly id: string }) {
  return <NoteLink link={{ to: id, kind: 'note' }}>{titleOf(id)}</NoteLink>
}

function Status({ of }: { readonly of: ToolAnswer<unknown> | Refused | undefined }) {
  if (of === undefined) return <p class="empty">…</p>
  if (of instanceof Refused)
    return (
      <p class="refused">
        {of.message} {of.hint}
      </p>
    )
  return (of._warnings ?? []).map(({ code, message }) => (
    <p class="empty" key={code + message}>
      {message}
    </p>
  ))
}

function isAnswer<T>(answer: ToolAnswer<T> | Refused | undefined): answer is ToolAnswer<T> {
  return answer !== undefined && !(answer instanceof Refused)
}

function idOf(one: string | { readonly id: string } | undefined): string {
  return typeof one === 'string' ? one : (one?.id ?? '')
}

/** What a community is called on the map. */
function nameOf(one: string | { readonly label: string }): string {
  if (typeof one !== 'string') return one.label
  return graph.value?.picture.groups.find(({ id }) => id === one)?.label ?? one
}

/** Brings the notes of communities into view. */
function showCommunities(ids: readonly (string | { readonly label: string })[]): void {
  const { value } = graph
  if (value === undefined) return
  const names = new Set(ids.map(nameOf))
  const { communities, groups } = value.picture
  const notes = [...Array(value.count).keys()].filter((note) => names.has(groups[communities[note] ?? -1]?.label ?? ''))
  marked.value = notes
  pane.value = 'map'
  map.view?.goTo(notes, isCalm())
}
