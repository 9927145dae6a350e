import type { NodeId } from '../../core/ids.ts'
import type { NameHit, Scope, Snapshot } from '../../core/store.ts'
import { editDistance } from '../../core/text/nearest.ts'
import { digitsOf, plainName } from '../../search/similar-names.ts'
import { ownNames } from './known-node.ts'

/** The minimum share of common bigrams. A title of eight letters reaches it despite two typos. */
const MIN_SIMILARITY = 0.4
const MAX_COMPARED = 20
/** The threshold for short names is lower, because a typo in a word of four letters leaves only one of three bigrams. */
const SHORT = { letters: 8, likeness: 0.3, lookedAt: 100 } as const
/** The threshold for long names is higher, because they keep most of their bigrams despite typos. */
const LONG = { letters: 40, likeness: 0.6 } as const
const MAX_TITLE_LENGTH = 200
const MIN_TITLE_LENGTH = 3
const MAX_TITLES = 3

export interface CloseTitle extends NameHit {
  readonly distance: number
}

/** Returns titles and aliases within one or two typos, or nothing if one matches exactly. */
export async function closeTitles(snapshot: Snapshot, text: string, scope: Scope): Promise<readonly CloseTitle[]> {
  const plain = plainName(text)
  if (plain.length < MIN_TITLE_LENGTH || plain.length > MAX_TITLE_LENGTH) return []
  const isShort = plain.length < SHORT.letters
  const likeness = plain.length < LONG.letters ? MIN_SIMILARITY : LONG.likeness
  const slips = isShort ? 1 : 2
  const bounds = isShort ? { limit: SHORT.lookedAt, minimum: SHORT.likeness } : { limit: MAX_COMPARED, minimum: likeness, slips }
  const [similar = []] = await snapshot.names([text.trim()], 'similar', scope, bounds)
  const swapped = isShort ? await swappedNames(snapshot, plain, scope) : []
  const candidates = [...swapped, ...(isShort ? similar : await withAllNames(snapshot, similar))]
  const digits = digitsOf(plain)
  const closest = new Map<NodeId, { readonly hit: NameHit; readonly distance: number }>()
  for (const hit of candidates) {
    const name = plainName(hit.name)
    // Names with different numbers are not typos, as in `Part 1` and `Part 2`.
    const distance = digitsOf(name) === digits ? editDistance(plain, name, slips) : undefined
    if (distance !== undefined && distance < (closest.get(hit.id)?.distance ?? slips + 1)) closest.set(hit.id, { hit, distance })
  }
  const close = [...closest.values()]
  if (close.some(({ distance }) => distance === 0)) return []
  close.sort((a, b) => a.distance - b.distance || b.hit.score - a.hit.score)
  return close.slice(0, MAX_TITLES).map(({ hit, distance }) => ({ ...hit, distance }))
}

/** Looks up every transposition, because short misspelled names have few bigrams in common with the correct name. */
async function swappedNames(snapshot: Snapshot, name: string, scope: Scope): Promise<readonly NameHit[]> {
  const letters = [...name]
  const names = letters.slice(1).map((letter, at) =>
    letters
      .with(at, letter)
      .with(at + 1, letters[at] ?? '')
      .join(''),
  )
  return (await snapshot.names(names, 'equal', scope)).flatMap(ownNames)
}

/** Adds the other names of each note, because the best bigram match is not always the closest name. */
async function withAllNames(snapshot: Snapshot, hits: readonly NameHit[]): Promise<readonly NameHit[]> {
  const names = await snapshot.namesOf(hits.map(({ id }) => id))
  return hits.flatMap((hit, at) => (names[at] ?? []).map((name) => ({ ...hit, name })))
}
