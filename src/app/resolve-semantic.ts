import type { NameHit, Scope } from '../core/store.ts'
import { isKnown } from '../search/known-share.ts'
import type { Call } from './answer.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { embedQuestions, unknownWarning } from './question-vector.ts'
import { takeTurns } from './take-turns.ts'
import { quoted } from './truncate.ts'

/** Names that are compared with each: a note may come under several. */
const NAMES = 50

/**
 * For each name the notes whose title or alias means about the same, the best name of each note, best first; the score is the cosine. For a name that the embedder
 * knows too little of there are none, and a warning.
 * @throws RouxError `PROVIDER_ERROR` without an embedder.
 */
export async function meaningSame(
  core: GraphCore,
  names: readonly string[],
  { scope, threshold }: { readonly scope: Scope; readonly threshold: number },
  call: Call,
): Promise<Answer<readonly (readonly NameHit[])[]>> {
  const { embedder, vectors } = await embedQuestions(core, names, call)
  const found: (readonly NameHit[])[] = []
  const turn = takeTurns(call.signal)
  const unknown: string[] = []
  for (const [at, vector] of vectors.entries()) {
    await turn()
    const name = names[at] ?? ''
    const coverage = embedder.coverage?.(name)
    if (coverage !== undefined && !isKnown(coverage)) {
      unknown.push(name)
      found.push([])
      continue
    }
    const hits = await core.store.nearestNames(embedder.id, vector, scope, { limit: NAMES, minimum: threshold })
    const seen = new Set<string>()
    found.push(hits.filter(({ id }) => !seen.has(id) && seen.add(id)))
  }
  return { value: found, warnings: unknown.length === 0 ? [] : [unknownWarning(listed(unknown))] }
}

/** Names of a warning that are written out. */
const LISTED = 3

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map(quoted).join(', ')
  return names.length > LISTED ? `${shown} and ${names.length - LISTED} more` : shown
}
