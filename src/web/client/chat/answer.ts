import { isRecord } from '../../../core/is-record.ts'
import { amount } from '../../../core/text/amount.ts'

export interface NamedNote {
  readonly id: string
  readonly title?: string
  readonly detail?: string
}

export interface NamedCommunity {
  readonly id: string
  readonly label: string
  readonly notes: number
  readonly key: readonly NamedNote[]
}

export interface MapAnswer {
  readonly message: string
  readonly notes: readonly NamedNote[]
  /** The note whose neighbours are shown, as named in the call. */
  readonly centre?: string
  readonly path: readonly string[]
  readonly communities: readonly NamedCommunity[]
}

export type Fields = Readonly<Record<string, unknown>>

/** Reads the answer of a tool with a picture. For an unknown answer, only a message is shown. */
export function readAnswer(result: Fields, args: Fields): MapAnswer {
  const content = contentOf(result)
  const failed = isRecord(content.error) ? content.error.message : undefined
  if (failed !== undefined || result.isError === true) return { ...EMPTY, message: String(failed ?? 'The tool failed.') }
  if (Array.isArray(content.path)) return pathOf(content)
  if (Array.isArray(content.communities)) return communitiesOf(content)
  if (!Array.isArray(content.results)) return { ...EMPTY, message: 'There is nothing to show on the map.' }
  const notes = namedNotes(content.results)
  if (typeof args.id !== 'string') return { ...EMPTY, message: `The ${amount(notes.length, 'most central note')}`, notes }
  return { ...EMPTY, message: `${amount(notes.length, 'note')} linked with ${args.id}`, notes, centre: args.id }
}

/** Returns the structured content or, for hosts that only pass text, the first text item. */
function contentOf({ structuredContent, content }: Fields): Fields {
  if (isRecord(structuredContent)) return structuredContent
  const [first] = Array.isArray(content) ? content : []
  try {
    const value: unknown = JSON.parse(isRecord(first) ? String(first.text) : '')
    return Array.isArray(value) ? { results: value } : fieldsOf(value)
  } catch {
    return {}
  }
}

function pathOf({ path, hops, alternatives }: Fields): MapAnswer {
  const ids = stringsIn(path)
  const texts = new Map(recordsIn(hops).map(({ to, text }) => [to, String(text ?? '')]))
  const others = recordsIn(alternatives).flatMap((other) => stringsIn(other.path))
  const notes = [...new Set([...ids, ...others])].map((id) => ({ id, detail: texts.get(id) ?? '' }))
  return { ...EMPTY, message: `A path of ${amount(Math.max(0, ids.length - 1), 'link')}`, notes, path: ids }
}

function communitiesOf({ communities, notes }: Fields): MapAnswer {
  const rows = recordsIn(communities).map((one) => ({
    id: String(one.id ?? ''),
    label: String(one.label ?? ''),
    notes: Number(one.notes ?? 0),
    key: namedNotes(one.key),
  }))
  const of = typeof notes === 'number' ? ` in ${amount(notes, 'note')}` : ''
  const message = amount(rows.length, 'community', 'communities') + of
  return { ...EMPTY, message, notes: rows.flatMap(({ key }) => key), communities: rows }
}

const EMPTY = { notes: [], path: [], communities: [] } as const

function namedNotes(list: unknown): readonly NamedNote[] {
  return recordsIn(list).flatMap(({ id, title, score }) => {
    const facts = { ...(typeof title === 'string' && { title }), ...(typeof score === 'number' && { detail: String(score) }) }
    return typeof id === 'string' ? [{ id, ...facts }] : []
  })
}

function recordsIn(list: unknown): readonly Fields[] {
  return (Array.isArray(list) ? list : []).filter(isRecord)
}

function stringsIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).filter((one) => typeof one === 'string')
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
