import type { NodeId } from '../../core/ids.ts'
import type { NameHit, Scope, Snapshot } from '../../core/store.ts'
import { editDistance } from '../../core/text/nearest.ts'
import { digitsOf, plainName } from '../../search/similar-names.ts'
import { ownNames } from './known-node.ts'

/**
 * Names are compared only if they share this much of their pairs of letters. A title of eight letters still does so after two
 * typos.
 */
const MIN_SIMILARITY = 0.4
const MAX_COMPARED = 20
/** Limits for short names. A typo in a word of four letters leaves one of its three pairs, and many names contain that pair. */
const SHORT = { letters: 8, likeness: 0.3, lookedAt: 100 } as const
/**
 * Limits for long names. Two typos and a few accents leave most pairs, which few other names contain. A question in the form of a
 * sentence is therefore compared with only a few names.
 */
const LONG = { letters: 40, likeness: 0.6 } as const
/** Longer texts are not titles, and shorter ones resemble too many titles. */
const MAX_TITLE_LENGTH = 200
const MIN_TITLE_LENGTH = 3
const MAX_TITLES = 3

export interface CloseTitle extends NameHit {
  /** Number of letters that are added, dropped, replaced or swapped. */
  readonly distance: number
}

/**
 * Returns the notes whose title or alias equals the text except for one or two typos, best first. Returns none if a title or
 * alias equals it exactly.
 */
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
    // Names with different numbers refer to different things, such as the previous day or the next part of a series.
    const distance = digitsOf(name) === digits ? editDistance(plain, name, slips) : undefined
    if (distance !== undefined && distance < (closest.get(hit.id)?.distance ?? slips + 1)) closest.set(hit.id, { hit, distance })
  }
  const close = [...closest.values()]
  if (close.some(({ distance }) => distance === 0)) return []
  close.sort((a, b) => a.distance - b.distance || b.hit.score - a.hit.score)
  return close.slice(0, MAX_TITLES).map(({ hit, distance }) => ({ ...hit, distance }))
}

/**
 * Returns the notes with a name in which two adjacent letters of the given name are swapped. Looks up every possible swap,
 * because a short name and its misspelling share few pairs of letters.
 */
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

/**
 * Adds the other names of each note. The name with the most common pairs may not be spelled most alike: `trevorlee` is closest to
 * `Trevor Lee`.
 */
async function withAllNames(snapshot: Snapshot, hits: readonly NameHit[]): Promise<readonly NameHit[]> {
  const names = await snapshot.namesOf(hits.map(({ id }) => id))
  return hits.flatMap((hit, at) => (names[at] ?? []).map((name) => ({ ...hit, name })))
}
