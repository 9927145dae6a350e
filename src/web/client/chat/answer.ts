import { isRecord } from '../../../core/is-record.ts'
import { amount } from '../../../core/text/amount.ts'

export interface Named {
  readonly id: string
  readonly title?: string
  readonly detail?: string
}

export interface NamedCommunity {
  readonly id: string
  readonly label: string
  readonly notes: number
  readonly key: readonly Named[]
}

export interface Pictured {
  readonly said: string
  readonly notes: readonly Named[]
  /** The note whose neighbours are shown, as named in the call. */
  readonly centre?: string
  readonly path: readonly string[]
  readonly communities: readonly NamedCommunity[]
}

type Members = Readonly<Record<string, unknown>>

/** Reads the answer of a tool with a picture. For an unknown answer, only a message is shown. */
export function readAnswer(result: Members, args: Members): Pictured {
  const facts = factsOf(result)
  const failed = isRecord(facts.error) ? facts.error.message : undefined
  if (failed !== undefined || result.isError === true) return nothing(String(failed ?? 'The tool failed.'))
  if (Array.isArray(facts.path)) return pathOf(facts)
  if (Array.isArray(facts.communities)) return communitiesOf(facts)
  if (!Array.isArray(facts.results)) return nothing('There is nothing to show on the map.')
  const notes = namedIn(facts.results)
  if (typeof args.id === 'string')
    return { said: `${amount(notes.length, 'note')} linked with ${args.id}`, notes, centre: args.id, path: [], communities: [] }
  return { said: `The ${amount(notes.length, 'most central note')}`, notes, path: [], communities: [] }
}

/** Returns the structured content or, for hosts that only pass text, the first text item. */
function factsOf({ structuredContent, content }: Members): Members {
  if (isRecord(structuredContent)) return structuredContent
  const [first] = Array.isArray(content) ? content : []
  try {
    const value: unknown = JSON.parse(isRecord(first) ? String(first.text) : '')
    return Array.isArray(value) ? { results: value } : membersOf(value)
  } catch {
    return {}
  }
}

function pathOf({ path, hops, alternatives }: Members): Pictured {
  const ids = textsIn(path)
  const texts = new Map((Array.isArray(hops) ? hops : []).filter(isRecord).map(({ to, text }) => [to, String(text ?? '')]))
  const others = (Array.isArray(alternatives) ? alternatives : []).filter(isRecord).flatMap((other) => textsIn(other.path))
  const notes = [...new Set([...ids, ...others])].map((id) => ({ id, detail: texts.get(id) ?? '' }))
  return { said: `A path of ${amount(Math.max(0, ids.length - 1), 'link')}`, notes, path: ids, communities: [] }
}

function communitiesOf({ communities, notes }: Members): Pictured {
  const found = (communities as readonly unknown[]).filter(isRecord).map((one) => ({
    id: String(one.id ?? ''),
    label: String(one.label ?? ''),
    notes: Number(one.notes ?? 0),
    key: namedIn(one.key),
  }))
  const of = typeof notes === 'number' ? ` in ${amount(notes, 'note')}` : ''
  return {
    said: amount(found.length, 'community', 'communities') + of,
    notes: found.flatMap(({ key }) => key),
    path: [],
    communities: found,
  }
}

function nothing(said: string): Pictured {
  return { said, notes: [], path: [], communities: [] }
}

function namedIn(list: unknown): readonly Named[] {
  return (Array.isArray(list) ? list : [])
    .filter(isRecord)
    .flatMap(({ id, title, score }) =>
      typeof id === 'string'
        ? [{ id, ...(typeof title === 'string' && { title }), ...(typeof score === 'number' && { detail: String(score) }) }]
        : [],
    )
}

function textsIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).filter((one) => typeof one === 'string')
}

export function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {}
}
