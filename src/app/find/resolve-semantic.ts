import type { NameVectorHit } from '../../core/search.ts'
import type { Scope, Snapshot } from '../../core/store.ts'
import { listSome } from '../../core/text/list-some.ts'
import { isKnown } from '../../search/fusion.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer } from '../graph-core.ts'
import { type QuestionVectors, unknownWarning } from './question-vector.ts'

/** Names that are compared with each: a note may come under several. */
const NAMES = 50

/** Names, and the vector of each. */
export interface NameVectors extends QuestionVectors {
  readonly names: readonly string[]
}

/**
 * For each name the notes whose title or alias means about the same, the best name of each note, best first; the score is the cosine. For a
 * name that the embedder knows too little of there are none, and a warning.
 */
export async function meaningSame(
  snapshot: Snapshot,
  { names, embedder, vectors }: NameVectors,
  { scope, threshold }: { readonly scope: Scope; readonly threshold: number },
): Promise<Answer<readonly (readonly NameVectorHit[])[]>> {
  const isUnknown = names.map((name) => {
    const coverage = embedder.coverage?.(name)
    return coverage !== undefined && !isKnown(coverage)
  })
  const known = vectors.filter((_, at) => isUnknown[at] !== true)
  const found = [...(await snapshot.nearestNames(embedder.id, known, scope, { limit: NAMES, minimum: threshold }))]
  const value = names.map((_, at) => {
    const seen = new Set<string>()
    const hits = isUnknown[at] === true ? [] : (found.shift() ?? [])
    return hits.filter(({ id }) => !seen.has(id) && seen.add(id))
  })
  const unknown = names.filter((_, at) => isUnknown[at] === true)
  return { value, warnings: unknown.length === 0 ? [] : [unknownWarning(listSome(unknown.map(quoted), LISTED))] }
}

/** Names of a warning that are written out. */
const LISTED = 3
