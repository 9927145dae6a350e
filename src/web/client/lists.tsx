import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangesAnswer } from '../../app/insight/changes-since.ts'
import type { GapKind, GapList } from '../../app/insight/gaps.ts'
import type { ProblemList, ProblemSummary } from '../../app/insight/get-problems.ts'
import type { ToolAnswer } from './api.ts'
import { type Loaded, useAnswer, usePages, useShown } from './hooks.ts'
import { plainText } from './plain-text.ts'
import { MoreButton, NoteLink, NoteRow, RecentlyEdited, Refusal } from './reader.tsx'
import { bareId, folder, graph, marks, scope, showGroups, ties, vault } from './state.ts'

type Problem = ProblemList['problems'][number]

const PAGE = 100

export function Problems() {
  const [kind, setKind] = useState('')
  const { answer } = useAnswer<ProblemSummary>('get_problems', { summary: true, ...scope.value })
  const counts = Object.entries(answer?.counts ?? {}).filter(([, count]) => count > 0)
  const args = { ...scope.value, ...(kind === '' ? {} : { kind }) }
  return (
    <section class="list" aria-label="Problems">
      <h2>Problems</h2>
      <p class="chips">
        <button type="button" aria-pressed={kind === ''} onClick={() => setKind('')}>
          all {answer?.total}
        </button>
        {counts.map(([name, count]) => (
          <button type="button" key={name} aria-pressed={kind === name} onClick={() => setKind(name)}>
            {name.replaceAll('_', ' ')} {count}
          </button>
        ))}
      </p>
      <ProblemPages key={JSON.stringify([vault.value, args])} args={args} isMixed={kind === ''} />
    </section>
  )
}

interface ProblemsOptions {
  readonly args: Record<string, unknown>
  readonly isMixed: boolean
}

function ProblemPages({ args, isMixed }: ProblemsOptions) {
  const { pages, error, more } = usePages<ProblemList>('get_problems', args, {
    limit: PAGE,
    rowsOf: ({ problems }) => problems,
  })
  const [first] = pages
  const problems = pages.flatMap((page) => page.problems)
  useShown(
    marks,
    problems.map(({ id }) => [id, 'problem']),
  )
  if (first === undefined) return <Status error={error} />
  return (
    <>
      <Status answer={first} error={error} />
      {first.total === 0 && <p class="empty">Nothing.</p>}
      {byNote(problems).map((ofNote, group) => (
        <ProblemsOfNote key={`${ofNote[0]?.id} ${group}`} problems={ofNote} isMixed={isMixed} />
      ))}
      <MoreButton left={first.total - problems.length} onMore={more} />
    </>
  )
}

/** Groups consecutive problems of a note. Missing notes form one group. */
function byNote(problems: readonly Problem[]): readonly (readonly Problem[])[] {
  const groups: Problem[][] = []
  for (const problem of problems) {
    const last = groups.at(-1)
    const isSame = last?.[0]?.id === problem.id || (isMissing(problem) && last?.[0] !== undefined && isMissing(last[0]))
    if (last !== undefined && isSame) last.push(problem)
    else groups.push([problem])
  }
  return groups
}

function isMissing({ kind }: Problem): boolean {
  return kind === 'missing_note'
}

function ProblemsOfNote({ problems, isMixed }: { readonly problems: readonly Problem[]; readonly isMixed: boolean }) {
  const [first] = problems
  if (first === undefined) return null
  if (isMissing(first)) {
    return (
      <ul>
        {problems.map(({ id, text }) => (
          <li key={id}>
            <NoteLink to={id} title={text} kind="missing" />
          </li>
        ))}
      </ul>
    )
  }
  return (
    <>
      <h3>
        <NoteLink to={first.id} />
      </h3>
      <ul>
        {problems.map(({ id, kind, line, text }, at) => (
          <li key={`${line} ${at}`}>
            {line > 0 && (
              <NoteLink to={id} line={line}>
                line {line}
              </NoteLink>
            )}{' '}
            {isMixed && <small>{kind.replaceAll('_', ' ')}:</small>} {plainText(text)}
          </li>
        ))}
      </ul>
    </>
  )
}

interface Gap {
  readonly kind: GapKind
  readonly title: string
  readonly description: string
  rows(answer: GapList): readonly preact.JSX.Element[]
}

const MAX_SOURCES = 3

const GAPS: readonly Gap[] = [
  {
    kind: 'apart',
    title: 'Alike, but hardly linked',
    description: 'Similar communities with few links between them. A click shows both.',
    rows: ({ apart = [] }) =>
      apart.map(({ of, nearest }) => (
        <li key={of.join()}>
          <button type="button" class="plain" onClick={() => showGroups(new Set(of.map(labelOf)), 'community')}>
            {of.map(labelOf).join(' and ')}
          </button>
          {nearest.slice(0, 1).map(([a, b]) => (
            <div key={a}>
              Nearest: <NoteLink to={a} /> and <NoteLink to={b} />
            </div>
          ))}
        </li>
      )),
  },
  {
    kind: 'cut',
    title: 'Notes that others hang on',
    description: 'Without one of these, the notes behind it fall off the rest.',
    rows: ({ cut = [] }) =>
      cut.map(({ id, title, falls_off }) => <NoteRow key={id} id={id} title={title} aside={`${falls_off} notes behind it`} />),
  },
  {
    kind: 'wanted',
    title: 'Wanted notes',
    description: 'Links lead to them, and they do not exist yet.',
    rows: ({ wanted = [] }) =>
      wanted.map(({ name, notes, sources }) => (
        <li key={name}>
          <NoteLink to={name} title={name} kind="missing" />{' '}
          <small>{notes === 1 ? 'one note links' : `${notes} notes link`} to it:</small>{' '}
          {sources.slice(0, MAX_SOURCES).map(({ id }, at) => (
            <Fragment key={id}>
              {at > 0 && ', '}
              <NoteLink to={id} />
            </Fragment>
          ))}
          {sources.length > MAX_SOURCES && ', …'}
        </li>
      )),
  },
  {
    kind: 'dead_ends',
    title: 'Dead ends',
    description: 'Other notes link to them, and they link to none.',
    rows: ({ dead_ends }) =>
      (dead_ends?.first ?? []).map(({ id, title }) => (
        <li key={id}>
          <NoteLink to={id} title={title} />
        </li>
      )),
  },
]

export function Gaps() {
  const { answer, error } = useAnswer<GapList>('gaps', scope.value)
  useShown(
    ties,
    (answer?.apart ?? []).flatMap(({ nearest }) => nearest.slice(0, 1).map(([from, to]) => ({ from, to, kind: 'gap' }))),
  )
  return (
    <section class="list" aria-label="Gaps">
      <h2>Gaps</h2>
      <Status answer={answer} error={error} />
      {answer && GAPS.map((gap) => <GapRows key={`${gap.kind} ${vault.value} ${folder.value}`} gap={gap} first={answer} />)}
    </section>
  )
}

interface GapRowsOptions {
  readonly gap: Gap
  readonly first: GapList
}

function GapRows({ gap, first }: GapRowsOptions) {
  const { kind, title, description } = gap
  const firstRows = gap.rows(first)
  const { pages, error, more } = usePages<GapList>(
    'gaps',
    { kind, ...scope.value },
    { limit: PAGE, rowsOf: gap.rows, from: firstRows.length, first: 0 },
  )
  const rows = [...firstRows, ...pages.flatMap(gap.rows)]
  const total = first.totals[kind] ?? 0
  return (
    <>
      <h3>
        {title} {total}
      </h3>
      <p class="empty">{total === 0 ? 'None.' : description}</p>
      <ul>{rows}</ul>
      <Refusal of={error} />
      <MoreButton left={total - rows.length} onMore={more} />
    </>
  )
}

const PERIODS: readonly (readonly [since: string, name: string])[] = [
  ['1h', 'an hour ago'],
  ['1d', 'yesterday'],
  ['7d', 'a week ago'],
  ['30d', 'a month ago'],
]
const MAX_CHANGES = 200

export function Changes() {
  const [since, setSince] = useState('7d')
  const { answer, error } = useAnswer<ChangesAnswer>('changes_since', { since, limit: MAX_CHANGES, ...scope.value })
  useShown(
    marks,
    (['changed', 'moved', 'added'] as const).flatMap((kind) =>
      (answer?.notes[kind] ?? []).map(({ id }) => [id, kind === 'added' ? 'added' : 'edited'] as const),
    ),
  )
  useShown(
    ties,
    (['gained', 'lost'] as const).flatMap((kind) => (answer?.links[kind] ?? []).map(({ from, to }) => ({ from, to, kind }))),
  )
  return (
    <section class="list" aria-label="Changes">
      <h2>What changed</h2>
      <label>
        Since{' '}
        <select value={since} onChange={(event) => setSince(event.currentTarget.value)}>
          {PERIODS.map(([time, name]) => (
            <option key={time} value={time}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {answer === undefined && <Status error={error} />}
      {answer && (
        <>
          <p class="empty">{periodSummary(answer)}</p>
          {(['added', 'changed', 'moved', 'removed'] as const).map((kind) => (
            <Group key={kind} title={kind} total={answer.totals[kind] ?? 0} shown={answer.notes[kind].length}>
              {answer.notes[kind].map(({ id, title }) => (
                <li key={id}>{kind === 'removed' ? title : <NoteLink to={id} title={title} />}</li>
              ))}
            </Group>
          ))}
          {(['gained', 'lost'] as const).map((kind) => (
            <Group key={kind} title={`links ${kind}`} total={answer.totals[kind] ?? 0} shown={answer.links[kind].length}>
              {answer.links[kind].map((one) => (
                <li key={`${one.from} ${one.line} ${one.to}`}>
                  <NoteLink to={one.from} line={one.line} /> → <NoteLink to={one.to} />
                  <div>{plainText(one.text)}</div>
                </li>
              ))}
            </Group>
          ))}
          <Group title="broken" total={answer.totals.broken ?? 0} shown={answer.broken.length}>
            {answer.broken.map((one) => (
              <li key={`${one.id} ${one.line}`}>
                <NoteLink to={one.id} line={one.line} /> <small>line {one.line}</small>
                <div>{plainText(one.text)}</div>
              </li>
            ))}
          </Group>
        </>
      )}
      <RecentlyEdited limit={20} />
    </section>
  )
}

function periodSummary({ since, state, totals }: ChangesAnswer): string {
  if (since === undefined) return 'Roux knows no earlier state of this vault.'
  const prefix = state === undefined ? '' : 'Roux knows of changes since it first read this vault. '
  const subject = Object.keys(totals).length === 0 ? 'Nothing' : 'All'
  return `${prefix}${subject} since ${new Date(since).toLocaleString()}.`
}

interface GroupOptions {
  readonly title: string
  readonly total: number
  readonly shown: number
  readonly children: preact.ComponentChildren
}

function Group({ title, total, shown, children }: GroupOptions) {
  if (total === 0) return null
  return (
    <details open={total < 30}>
      <summary>
        {title} {total}
      </summary>
      <ul>{children}</ul>
      {total > shown && <p class="empty">and {total - shown} more</p>}
    </details>
  )
}

function Status({ answer, error }: Loaded<ToolAnswer<unknown>>) {
  if (error !== undefined) return <Refusal of={error} />
  if (answer === undefined) return <p class="empty">…</p>
  return answer._warnings?.map(({ code, message }) => (
    <p class="empty" key={code + message}>
      {message}
    </p>
  ))
}

function labelOf(community: string): string {
  return graph.value?.picture.groups.find(({ id }) => id === bareId(community))?.label ?? community
}
