import type { TagCount } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { answer, type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'

export interface ListTagsArguments extends Partial<PageArguments> {
  readonly prefix?: string | undefined
}

/** Tags with the notes that carry them, nested tags counted into their parents; by count, then name. */
export function listTags(core: GraphCore, args: ListTagsArguments, call: Call = {}): Promise<Answer<readonly TagCount[]>> {
  const { prefix = '', limit = Number.MAX_SAFE_INTEGER, offset } = args
  return answer(core, call, async (snapshot) => {
    const tags = await snapshot.tags(foldName(prefix.trim().replace(/^#/, '')))
    const page = pageFor({ limit, offset }, call)
    const shown = tags.slice(page.offset, page.offset + page.limit)
    return listed(shown, { offset: page.offset, shown: shown.length, total: tags.length })
  })
}
