import type { NameHit, Scope } from '../core/store.ts'
import type { Call } from './answer.ts'
import type { GraphCore } from './graph-core.ts'
import { embedQuestions } from './question-vector.ts'
import { takeTurns } from './take-turns.ts'

/** Names that are compared with each: a note may come under several. */
const NAMES = 50

/**
 * For each name the notes whose title or alias means about the same, the best name of each note, best first; the score is the cosine.
 * @throws RouxError `PROVIDER_ERROR` without an embedder.
 */
export async function meaningSame(
  core: GraphCore,
  names: readonly string[],
  { scope, threshold }: { readonly scope: Scope; readonly threshold: number },
  call: Call,
): Promise<readonly (readonly NameHit[])[]> {
  const { embedder, vectors } = await embedQuestions(core, names, call)
  const found: (readonly NameHit[])[] = []
  const turn = takeTurns(call.signal)
  for (const vector of vectors) {
    await turn()
    const hits = await core.store.nearestNames(embedder.id, vector, scope, { limit: NAMES, minimum: threshold })
    const seen = new Set<string>()
    found.push(hits.filter(({ id }) => !seen.has(id) && seen.add(id)))
  }
  return found
}
