import { answer, type Call } from './answer.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { listResponses, type NodeResponse } from './node-response.ts'
import { trimTag } from './scope.ts'
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
  return answer(core, call, async () => {
    const tags = { names: args.tags.map(trimTag), mode: args.mode }
    const { items } = await core.store.select({ tags }, { offset: 0, limit: args.limit })
    const ids = items.map(({ id }) => id)
    // Of several tags one that nobody has changes the answer without being seen in it.
    return { value: await listResponses(core, ids, 'excerpt'), warnings: await tagWarnings(core, tags.names, call) }
  })
}
