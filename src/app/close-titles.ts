import { foldName } from '../core/fold.ts'
import type { NameHit, Scope } from '../core/store.ts'
import { editDistance } from '../search/edit-distance.ts'
import type { GraphCore } from './graph-core.ts'

/** Names that share so many character pairs are looked at: a slip in a word of five letters leaves half of them. */
const LIKENESS = 0.4
const LOOKED_AT = 20
/** Longer texts are no titles, and shorter ones are like too many. */
const LONGEST_TITLE = 200
const SHORTEST_TITLE = 4
const MOST = 3

/** Notes whose title or alias is what was typed but for a slip or two, best first; none where one is exactly that. */
export async function closeTitles(core: GraphCore, text: string, scope: Scope): Promise<readonly NameHit[]> {
  const typed = foldName(text.trim())
  if (typed.length < SHORTEST_TITLE || typed.length > LONGEST_TITLE) return []
  const alike = await core.store.similarNames(text.trim(), scope, { limit: LOOKED_AT, minimum: LIKENESS })
  const slips = typed.length < 8 ? 1 : 2
  const close = alike.flatMap((hit) => {
    const distance = editDistance(typed, foldName(hit.name), slips)
    return distance === undefined ? [] : [{ hit, distance }]
  })
  if (close.some(({ distance }) => distance === 0)) return []
  close.sort((a, b) => a.distance - b.distance || b.hit.score - a.hit.score)
  return close.slice(0, MOST).map(({ hit }) => hit)
}
