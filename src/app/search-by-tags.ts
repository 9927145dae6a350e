import { foldTag } from '../core/fold.ts'
import { answer, type Call } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { listResponses, type NodeResponse } from './node-response.ts'
import { tagWarnings } from './scope-warnings.ts'

export interface SearchByTagsArguments {
  readonly tags: readonly string[]
  readonly mode: 'any' | 'all'
  readonly limit: number
}

/** Notes that carry any or all of these tags, or tags nested in them, by id. */
export function searchByTags(
  core: GraphCore,
  args: SearchByTagsArguments,
  call: Call = {},
): Promise<Answer<readonly NodeResponse[]>> {
  return answer(core, call, async (snapshot) => {
    const names = args.tags.map(foldTag)
    const { items } = await snapshot.select({ tags: { names, mode: args.mode } }, { offset: 0, limit: args.limit })
    const ids = items.map(({ id }) => id)
    // Of several tags one that no one has changes the answer without being seen in it.
    return { value: await listResponses(snapshot, ids, 'excerpt'), warnings: await tagWarnings(snapshot, args.tags, call) }
  })
}
