import type { NameVectorHit } from '../core/search.ts'
import type { Scope, Snapshot } from '../core/store.ts'
import type { QuestionVectors } from './question-vector.ts'

/** Names that are compared with each: a note may come under several. */
const NAMES = 50

/**
 * For each vector of a name the notes whose title or alias means about the same, the best name of each note, best first; the score is the cosine.
 */
export async function meaningSame(
  snapshot: Snapshot,
  { embedder, vectors }: QuestionVectors,
  { scope, threshold }: { readonly scope: Scope; readonly threshold: number },
): Promise<readonly (readonly NameVectorHit[])[]> {
  const found = await snapshot.nearestNames(embedder.id, vectors, scope, { limit: NAMES, minimum: threshold })
  return found.map((hits) => {
    const seen = new Set<string>()
    return hits.filter(({ id }) => !seen.has(id) && seen.add(id))
  })
}
