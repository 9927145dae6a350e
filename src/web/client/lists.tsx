import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { Refused, type ToolAnswer } from './api.ts'
import { plainLine } from './plain-line.ts'
import { NoteLink } from './reader.tsx'
import { folder, graph, showGroups, titleOf, vault } from './state.ts'
import { useAnswer } from './use-answer.ts'

interface Problem {
  readonly kind: string
  readonly id: string
  readonly line: number
  readonly text: string
}

/** What is asked for at once. */
const PAGE = 100

/** What is wrong in the vault. */
export function Problems() {
  const [kind, setKind] = useState('')
  const scope = folder.value === '' ? {} : { folder: folder.value }
  const summary = useAnswer<{ counts: Record<string, number>; total: number }>('get_problems', { summary: true, ...scope })
  const counts = isAnswer(summary) ? Object.entries(summary.counts).filter(([, count]) => count > 0) : []
  const args = { ...scope, ...(kind === '' ? {} : { kind }) }
  return (
    <section class="list" aria-label="Problems">
      <h2>What needs care</h2>
      <p class="chips">
        <button type="button" aria-pressed={kind === ''} onClick={() => setKind('')}>
          all {isAnswer(summary) && summary.total}
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
  /** Of several kinds, so that each says its own. */
  readonly isMixed: boolean
}

function ProblemPages(options: ProblemsOptions) {
  const [offsets, setOffsets] = useState<readonly number[]>([0])
  return offsets.map((offset, at) => (
    <ProblemPage
      key={offset}
      {...options}
      offset={offset}
      onMore={at === offsets.length - 1 ? (next) => setOffsets([...offsets, next]) : undefined}
    />
  ))
}

interface ProblemPageOptions extends ProblemsOptions {
  readonly offset: number
  /** Absent where more are shown already. */
  readonly onMore: ((offset: number) => void) | undefined
}

function ProblemPage({ args, isMixed, offset, onMore }: ProblemPageOptions) {
  const answer = useAnswer<{ problems: readonly Problem[]; total: number }>('get_problems', { limit: PAGE, offset, ...args })
  if (!isAnswer(answer)) return <Status of={answer} />
  const next = offset + answer.problems.length
  return (
    <>
      <Status of={answer} />
      {answer.total === 0 && <p class="empty">Nothing.</p>}
      {byNote(answer.problems).map((problems, group) => (
        <ProblemsOfNote key={`${problems[0]?.id} ${group}`} problems={problems} isMixed={isMixed} />
      ))}
      {onMore !== undefined && answer.problems.length > 0 && next < answer.total && (
        <button type="button" onClick={() => onMore(next)}>
          Show more of {answer.total - next}
        </button>
      )}
    </>
  )
}

/** Problems that follow each other and are of one note; notes that are missing are one group. */
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
            <NoteLink link={{ to: id, kind: 'missing' }}>{text}</NoteLink>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <>
      <h3>
        <Note id={first.id} />
      </h3>
      <ul>
        {problems.map(({ id, kind, line, text }, at) => (
          <li key={`${line} ${at}`}>
            {line > 0 && (
              <NoteLink link={{ to: id, kind: 'note' }} line={line}>
                line {line}
              </NoteLink>
            )}{' '}
            {isMixed && <small>{kind.replaceAll('_', ' ')}:</small>} {plainLine(text)}
          </li>
        ))}
      </ul>
    </>
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

/** Of those who link to a wanted note so many are named. */
const WANTED_BY = 3

/** What is missing. */
export function Gaps() {
  const answer = useAnswer<GapsAnswer>('gaps', folder.value === '' ? {} : { folder: folder.value })
  return (
    <section class="list" aria-label="Gaps">
      <h2>What is missing</h2>
      <Status of={answer} />
      {isAnswer(answer) && (
        <>
          <GapList
            title="Alike, but hardly linked"
            about="Communities about the same that few links lead between. A click shows both."
          >
            {(answer.apart ?? []).map((one) => (
              <li key={one.of.map(nameOf).join()}>
                <button type="button" class="plain" onClick={() => showGroups(new Set(one.of.map(nameOf)), 'community')}>
                  {one.of.map(nameOf).join(' and ')}
                </button>
                {one.nearest.slice(0, 1).map(([a, b]) => (
                  <div key={idOf(a)}>
                    Nearest: <Note id={idOf(a)} /> and <Note id={idOf(b)} />
                  </div>
                ))}
              </li>
            ))}
          </GapList>
          <GapList title="Notes that others hang on" about="Without one of these, the notes behind it fall off the rest.">
            {(answer.cut ?? []).map(({ id, falls_off }) => (
              <li key={id}>
                <Note id={id} /> <small>{falls_off} notes behind it</small>
              </li>
            ))}
          </GapList>
          <GapList title="Wanted notes" about="Links lead to them, and they do not exist yet.">
            {(answer.wanted ?? []).map(({ name, notes, sources }) => (
              <li key={name}>
                <NoteLink link={{ to: name, kind: 'missing' }}>{name}</NoteLink>{' '}
                <small>{notes === 1 ? 'one note links' : `${notes} notes link`} to it:</small>{' '}
                {sources.slice(0, WANTED_BY).map((source, at) => (
                  <Fragment key={idOf(source)}>
                    {at > 0 && ', '}
                    <Note id={idOf(source)} />
                  </Fragment>
                ))}
                {sources.length > WANTED_BY && ', …'}
              </li>
            ))}
          </GapList>
          <GapList title={`Dead ends ${answer.dead_ends?.total ?? 0}`} about="Other notes link to them, and they link to none.">
            {(answer.dead_ends?.first ?? []).map((one) => (
              <li key={idOf(one)}>
                <Note id={idOf(one)} />
              </li>
            ))}
          </GapList>
        </>
      )}
    </section>
  )
}

interface GapListOptions {
  readonly title: string
  /** What such gaps are, in a sentence. */
  readonly about: string
  readonly children: readonly preact.JSX.Element[]
}

function GapList({ title, about, children }: GapListOptions) {
  return (
    <>
      <h3>{title}</h3>
      <p class="empty">{children.length === 0 ? 'None.' : about}</p>
      <ul>{children}</ul>
    </>
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

const HOUR = 3_600_000
const TIMES: readonly (readonly [since: string, name: string, ms: number])[] = [
  ['1h', 'an hour ago', HOUR],
  ['1d', 'yesterday', 24 * HOUR],
  ['7d', 'a week ago', 7 * 24 * HOUR],
  ['30d', 'a month ago', 30 * 24 * HOUR],
]
/** So much later than asked for, ms, an answer begins where less is known. */
const LATER = 60_000

/** What changed lately, by any program. */
export function Changes() {
  const [since, setSince] = useState('7d')
  const answer = useAnswer<ChangesAnswer>('changes_since', {
    since,
    ...(folder.value === '' ? {} : { folder: folder.value }),
  })
  return (
    <section class="list" aria-label="Changes">
      <h2>What changed</h2>
      <label>
        Since{' '}
        <select value={since} onChange={(event) => setSince(event.currentTarget.value)}>
          {TIMES.map(([time, name]) => (
            <option key={time} value={time}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {!isAnswer(answer) && <Status of={answer} />}
      {isAnswer(answer) && (
        <>
          <p class="empty">
            {isShorter(answer.since, since) && 'Roux knows of changes since it first read this vault. '}
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
                  <Note id={one.from} line={one.line} /> → <Note id={one.to} />
                  <div>{plainLine(one.text)}</div>
                </li>
              ))}
            </Group>
          ))}
          <Group title="broken" count={answer.broken.length}>
            {answer.broken.map((one) => (
              <li key={`${one.id} ${one.line}`}>
                <Note id={one.id} line={one.line} /> <small>line {one.line}</small>
                <div>{plainLine(one.text)}</div>
              </li>
            ))}
          </Group>
        </>
      )}
      <EditedLast />
    </section>
  )
}

function isShorter(since: string, asked: string): boolean {
  const [, , ms = 0] = TIMES.find(([time]) => time === asked) ?? []
  return Date.parse(since) > Date.now() - ms + LATER
}

/** What was edited last, by the dates of the files: known of before Roux was there, too. */
function EditedLast() {
  const scope = folder.value === '' ? {} : { folder: folder.value }
  const answer = useAnswer<{ results: readonly (ChangedNote & { readonly modified?: string })[] }>('find_nodes', {
    query: '',
    order_by: 'modified',
    limit: 20,
    ...scope,
  })
  if (!isAnswer(answer) || answer.results.length === 0) return null
  return (
    <>
      <h3>Edited last</h3>
      <ul>
        {answer.results.map(({ id, modified }) => (
          <li key={id}>
            <Note id={id} /> <small>{modified?.slice(0, 10)}</small>
          </li>
        ))}
      </ul>
    </>
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

function Note({ id, line }: { readonly id: string; readonly line?: number }) {
  return (
    <NoteLink link={{ to: id, kind: 'note' }} line={line}>
      {titleOf(id)}
    </NoteLink>
  )
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
