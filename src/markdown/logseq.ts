import type { Task } from '../core/note.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import type { Frontmatter, PropertyText } from './frontmatter/plain-frontmatter.ts'
import { maskGaps, type Run } from './prose/runs.ts'

const KEY = /^[ \t]*([\p{L}\p{N}][\p{L}\p{N}_/.-]*)::/u
const LISTS = /^(?:tags?|alias(?:es)?)$/i

export function isPageKey(name: string): boolean {
  return KEY.exec(`${name}::`)?.[1] === name
}

export interface PageProperty extends TextRange {
  readonly key: string
  /** The trimmed value. */
  readonly value: string
  /** The offset after `::`. */
  readonly valueStart: number
}

/** Returns the page properties, which are the `key:: value` lines at the start of the first block. */
export function pageProperties(text: string, run: Run | undefined): readonly PageProperty[] {
  const lines: PageProperty[] = []
  if (run?.kind !== 'text') return lines
  const source = run.gaps ? maskGaps(text, run.start, run.end, run.gaps) : text.slice(run.start, run.end)
  let start = run.start
  for (const line of source.split('\n')) {
    const [head = '', key] = KEY.exec(line) ?? []
    if (key === undefined) break
    const end = start + line.length
    lines.push({ key, value: line.slice(head.length).trim(), start, valueStart: start + head.length, end })
    start = end + 1
  }
  return lines
}

export function logseqProperties(text: string, run: Run | undefined): Frontmatter {
  const properties: Record<string, unknown> = {}
  const texts: PropertyText[] = []
  for (const { key, value, start, end } of pageProperties(text, run)) {
    const items = LISTS.test(key) ? pageNames(value) : undefined
    properties[key] = items ?? value
    // A page name with whitespace remains a link, although it is not a valid tag.
    for (const item of items ?? []) if (!/\s/.test(item)) texts.push({ key, value: item, start, end })
  }
  return { properties, texts }
}

/** Finds Logseq tasks such as `- TODO water the roses`, in order. @param from offset of the body */
export function markedTasks(text: string, from: number, fences: readonly TextRange[]): readonly MarkedTask[] {
  const tasks: MarkedTask[] = []
  let fence = 0
  MARKER.lastIndex = from
  for (let match = MARKER.exec(text); match !== null; match = MARKER.exec(text)) {
    const at = match.index
    while (fence < fences.length && (fences[fence] as TextRange).end <= at) fence++
    if ((fences[fence]?.start ?? text.length) <= at) continue
    tasks.push({ at, state: STATES[match[1] as string] ?? 'open' })
  }
  return tasks
}

export interface MarkedTask {
  readonly at: number
  readonly state: Task['state']
}

const MARKER = /^[ \t]*[-*+][ \t]+(?:#{1,6}[ \t]+)?(TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|DONE|CANCELL?ED)[ \t\r\n]/gm
const STATES: Readonly<Record<string, Task['state']>> = { DONE: 'done', CANCELED: 'other', CANCELLED: 'other' }

export function pageNames(value: string): readonly string[] {
  return value
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^#?\[\[(.*)\]\]$/, '$1')
        .replace(/^#/, ''),
    )
    .filter((name) => name !== '')
}
