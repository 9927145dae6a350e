import type { NodeId } from '../../core/ids.ts'
import type { NameHit, Scope, Snapshot } from '../../core/store.ts'
import { editDistance } from '../../core/text/nearest.ts'
import { digitsOf, plainName } from '../../search/similar-names.ts'
import { ownNames } from './known-node.ts'

/** Names that share so many character pairs are looked at: two slips in a title of eight letters leave as many. */
const LIKENESS = 0.4
const LOOKED_AT = 20
/** A slip in four letters leaves one pair of three, and many names have that. */
const SHORT = { letters: 8, likeness: 0.3, lookedAt: 100 } as const
/** Of a long one two slips and some accents leave most, and far fewer names have that: a question of a sentence is compared with few. */
const LONG = { letters: 40, likeness: 0.6 } as const
/** Longer texts are no titles, and shorter ones are like too many. */
const LONGEST_TITLE = 200
const SHORTEST_TITLE = 3
const MOST = 3

export interface CloseTitle extends NameHit {
  /** Letters more, fewer, other or swapped. */
  readonly distance: number
}

/** Notes whose title or alias is what was typed but for a slip or two, best first; none where one is exactly that. */
export async function closeTitles(snapshot: Snapshot, text: string, scope: Scope): Promise<readonly CloseTitle[]> {
  const typed = plainName(text)
  if (typed.length < SHORTEST_TITLE || typed.length > LONGEST_TITLE) return []
  const isShort = typed.length < SHORT.letters
  const likeness = typed.length < LONG.letters ? LIKENESS : LONG.likeness
  const slips = isShort ? 1 : 2
  const bounds = isShort ? { limit: SHORT.lookedAt, minimum: SHORT.likeness } : { limit: LOOKED_AT, minimum: likeness, slips }
  const [alike = []] = await snapshot.names([text.trim()], 'similar', scope, bounds)
  const swapped = isShort ? await swappedNames(snapshot, typed, scope) : []
  const named = [...swapped, ...(isShort ? alike : await withAllNames(snapshot, alike))]
  const digits = digitsOf(typed)
  const closest = new Map<NodeId, { readonly hit: NameHit; readonly distance: number }>()
  for (const hit of named) {
    const name = plainName(hit.name)
    // Another number is another thing: the day before, the next part.
    const distance = digitsOf(name) === digits ? editDistance(typed, name, slips) : undefined
    if (distance !== undefined && distance < (closest.get(hit.id)?.distance ?? slips + 1)) closest.set(hit.id, { hit, distance })
  }
  const close = [...closest.values()]
  if (close.some(({ distance }) => distance === 0)) return []
  close.sort((a, b) => a.distance - b.distance || b.hit.score - a.hit.score)
  return close.slice(0, MOST).map(({ hit, distance }) => ({ ...hit, distance }))
}

/** Names with two neighbouring letters swapped. A short name then shares few pairs, so each possible swap is looked up. */
async function swappedNames(snapshot: Snapshot, typed: string, scope: Scope): Promise<readonly NameHit[]> {
  const letters = [...typed]
  const names = letters.slice(1).map((letter, at) =>
    letters
      .with(at, letter)
      .with(at + 1, letters[at] ?? '')
      .join(''),
  )
  return (await snapshot.names(names, 'equal', scope)).flatMap(ownNames)
}

/** The name that is most alike need not be the one that is spelled most alike: `Trevor Lee` for `trevorlee`. */
async function withAllNames(snapshot: Snapshot, hits: readonly NameHit[]): Promise<readonly NameHit[]> {
  const names = await snapshot.namesOf(hits.map(({ id }) => id))
  return hits.flatMap((hit, at) => (names[at] ?? []).map((name) => ({ ...hit, name })))
}
