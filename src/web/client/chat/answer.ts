import { isRecord } from '../../../core/is-record.ts'
import { amount } from '../../../core/text/amount.ts'

interface NamedNote {
  readonly id: string
  readonly title?: string
  readonly detail?: string
}

interface NamedCommunity {
  readonly id: string
  readonly label: string
  readonly notes: number
  readonly key: readonly NamedNote[]
}

export interface MapAnswer {
  readonly message: string
  readonly notes: readonly NamedNote[]
  /** The note whose neighbors are shown, as named in the call. */
  readonly centre?: string
  readonly path: readonly string[]
  readonly communities: readonly NamedCommunity[]
}

export type Fields = Readonly<Record<string, unknown>>

/** Reads a tool result for the map. An unknown kind of result becomes a message only. */
export function readAnswer(result: Fields, args: Fields): MapAnswer {
  const { error, path, hops, alternatives, communities, notes: noteCount, results } = contentOf(result)
  const failed = fieldsOf(error).message
  if (failed !== undefined || result.isError === true) return { ...EMPTY, message: String(failed ?? 'The tool failed.') }
  if (Array.isArray(path)) {
    const ids = stringsIn(path)
    const texts = new Map(recordsIn(hops).map(({ to, text }) => [to, String(text ?? '')]))
    const others = recordsIn(alternatives).flatMap((other) => stringsIn(other.path))
    const notes = [...new Set([...ids, ...others])].map((id) => ({ id, detail: texts.get(id) ?? '' }))
    return { ...EMPTY, message: `A path of ${amount(Math.max(0, ids.length - 1), 'link')}`, notes, path: ids }
  }
  if (Array.isArray(communities)) {
    const rows = recordsIn(communities).map(({ id = '', label = '', notes = 0, key }) => {
      return { id: String(id), label: String(label), notes: Number(notes), key: namedNotes(key) }
    })
    const of = typeof noteCount === 'number' ? ` in ${amount(noteCount, 'note')}` : ''
    const message = amount(rows.length, 'community', 'communities') + of
    return { ...EMPTY, message, notes: rows.flatMap(({ key }) => key), communities: rows }
  }
  if (!Array.isArray(results)) return { ...EMPTY, message: 'There is nothing to show on the map.' }
  const notes = namedNotes(results)
  if (typeof args.id !== 'string') return { ...EMPTY, message: `The ${amount(notes.length, 'most central note')}`, notes }
  return { ...EMPTY, message: `${amount(notes.length, 'note')} linked with ${args.id}`, notes, centre: args.id }
}

/** Returns the structured content. Some hosts forward only text; then the first text item is parsed. */
function contentOf({ structuredContent, content }: Fields): Fields {
  if (isRecord(structuredContent)) return structuredContent
  const [first] = recordsIn(content)
  try {
    const value: unknown = JSON.parse(String(first?.text))
    return Array.isArray(value) ? { results: value } : fieldsOf(value)
  } catch {
    return {}
  }
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
