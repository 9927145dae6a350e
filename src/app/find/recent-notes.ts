import { parseQuery } from '../../search/query/parse-query.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findByQuery } from './find-by-query.ts'

export interface RecentNote {
  readonly id: string
  readonly title: string
  /** ISO 8601, or as the note says. */
  readonly modified?: string
}

/** The notes that were changed last, newest first, without archived ones. */
export function recentNotes(
  core: GraphCore,
  { limit }: { readonly limit: number },
  call: Call = {},
): Promise<Answer<readonly RecentNote[]>> {
  return answer(core, call, async (snapshot) => {
    const { found } = await findByQuery(snapshot, core, parseQuery('', new Date()), {
      scope: { withoutArchived: true },
      orderBy: 'modified',
      page: { offset: 0, limit },
    })
    const { items } = found
    const ids = items.map(({ id }) => id)
    const nodes = await snapshot.nodes(ids, { links: 0, times: true })
    const present = nodes.filter((node) => node !== undefined)
    return plain(present.map(({ id, title, modified }) => ({ id, title, ...(modified === undefined ? {} : { modified }) })))
  })
}
