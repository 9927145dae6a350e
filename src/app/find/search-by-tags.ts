import { foldTag } from '../../core/text/fold.ts'
import { answer, type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { type ListedNode, linksShown, listResponses } from '../answer/node-response.ts'
import { tagWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'

export interface SearchByTagsArguments extends PageArguments {
  readonly tags: readonly string[]
  readonly mode: 'any' | 'all'
  /** Links shown of each. */
  readonly links?: number | undefined
}

/** Notes that carry any or all of these tags, or tags nested in them, by id. */
export function searchByTags(
  core: GraphCore,
  args: SearchByTagsArguments,
  call: Call = {},
): Promise<Answer<readonly ListedNode[]>> {
  return answer(core, call, async (snapshot) => {
    const names = args.tags.map(foldTag)
    const page = pageFor(args, call)
    const { items, total } = await snapshot.select({ tags: { names, mode: args.mode } }, page)
    const ids = items.map(({ id }) => id)
    const value = await listResponses(snapshot, ids, { shown: 'excerpt', links: linksShown(args.links, call) })
    // With several tags, an unknown one changes the answer invisibly.
    const warnings = await tagWarnings(snapshot, args.tags, call)
    return { ...listed(value, { offset: page.offset, shown: ids.length, total }), warnings }
  })
}
