import type { PropertyText } from './frontmatter/plain-frontmatter.ts'
import { maskGaps, type Run } from './prose/runs.ts'

const KEY = /^[ \t]*([\p{L}\p{N}][\p{L}\p{N}_/.-]*)::/u
const LISTS = /^(?:tags?|alias(?:es)?)$/i

export interface LogseqProperties {
  readonly properties: Readonly<Record<string, unknown>>
  /** The values that name tags. */
  readonly texts: readonly PropertyText[]
}

/** The page properties of Logseq: the lines `key:: value` that a page's first block consists of or begins with. */
export function logseqProperties(text: string, run: Run | undefined): LogseqProperties {
  const properties: Record<string, unknown> = {}
  const texts: PropertyText[] = []
  if (run?.kind !== 'text') return { properties, texts }
  const source = run.gaps ? maskGaps(text, run.start, run.end, run.gaps) : text.slice(run.start, run.end)
  let at = run.start
  for (const line of source.split('\n')) {
    const [head = '', key] = KEY.exec(line) ?? []
    if (key === undefined || key === '__proto__') break
    const value = line.slice(head.length).trim()
    const items = LISTS.test(key) ? pageNames(value) : undefined
    properties[key] = items ?? value
    if (items) for (const item of items) texts.push({ key, value: item, start: at, end: at + line.length })
    at += line.length + 1
  }
  return { properties, texts }
}

/** The names of a comma list, without the brackets and `#` of page references. */
function pageNames(value: string): readonly string[] {
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
