import type { CommunityRow } from '../../../app/insight/map.ts'
import type { PathAnswer } from '../../../app/links/find-path.ts'
import { isRecord } from '../../../core/is-record.ts'
import { amount } from '../../../core/text/format.ts'

interface NamedNote {
  readonly id: string
  readonly title?: string | undefined
  readonly detail?: string | undefined
}

export interface MapAnswer {
  readonly message: string
  readonly notes: readonly NamedNote[]
  readonly center?: string
  readonly path: readonly string[]
  readonly communities: readonly Pick<CommunityRow, 'id' | 'label' | 'notes' | 'key'>[]
}

export type Fields = Readonly<Record<string, unknown>>

interface Content extends Partial<PathAnswer> {
  readonly error?: { readonly message?: string }
  readonly communities?: readonly CommunityRow[]
  readonly notes?: number
  readonly results?: readonly { readonly id: string; readonly title?: string; readonly score?: number }[]
}

const NOTHING: MapAnswer = { message: 'There is nothing to show on the map.', notes: [], path: [], communities: [] }

export function readAnswer(result: Fields, args: Fields): MapAnswer {
  try {
    const answer = { ...NOTHING, ...answerOf(contentOf(result), result.isError === true, args.id) }
    return answer.notes.every(({ id }) => typeof id === 'string') ? answer : NOTHING
  } catch {
    return NOTHING
  }
}

function answerOf({ error, path, hops, alternatives, ...content }: Content, isError: boolean, id: unknown): Partial<MapAnswer> {
  if (error?.message !== undefined || isError) return { message: String(error?.message ?? 'The tool failed.') }
  if (path !== undefined) {
    const texts = new Map<string, string>(hops?.map(({ to, text }) => [to, text]))
    const ids = new Set([path, alternatives?.map((other) => other.path) ?? []].flat(2))
    const notes = [...ids].map((on) => ({ id: on, detail: texts.get(on) ?? '' }))
    return { message: `A path of ${amount(path.length - 1, 'link')}`, notes, path }
  }
  const { communities, notes: noteCount = 0, results } = content
  if (communities !== undefined) {
    const message = `${amount(communities.length, 'community', 'communities')} in ${amount(noteCount, 'note')}`
    return { message, notes: communities.flatMap(({ key }) => key), communities }
  }
  if (results === undefined) return {}
  const notes = results.map(({ id: of, title, score }) => ({ id: of, title, detail: score?.toString() }))
  if (typeof id !== 'string') return { message: `The ${amount(notes.length, 'most central note')}`, notes }
  return { message: `${amount(notes.length, 'note')} linked with ${id}`, notes, center: id }
}

/** Returns the content of an answer. Some hosts forward only text, which contains the same JSON. */
function contentOf({ structuredContent, content }: Fields): Content {
  if (isRecord(structuredContent)) return structuredContent
  const [first] = content as readonly { readonly text: string }[]
  const value: unknown = JSON.parse(first?.text ?? '')
  return Array.isArray(value) ? { results: value } : fieldsOf(value)
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
