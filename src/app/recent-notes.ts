import { answer, type Call, plain } from './answer.ts'
import type { Answer, GraphCore } from './graph-core.ts'

export interface RecentNote {
  readonly id: string
  readonly title: string
  /** ISO 8601, or as the note says. */
  readonly modified?: string
}

export interface RecentArguments {
  readonly limit: number
  /** Which notes, as in `docs/query.md`; all without it. */
  readonly query?: string
}

/** The notes that were changed last, newest first; archived ones are left out. */
export function recentNotes(
  core: GraphCore,
  { limit, query = '' }: RecentArguments,
  call: Call = {},
): Promise<Answer<readonly RecentNote[]>> {
  return answer(core, call, async () => {
    const { store } = core
    const options = { orderBy: 'modified', includeArchived: false } as const
    const { items } = await store.find(query, new Date(), {}, options, { offset: 0, limit })
    const ids = items.map(({ id }) => id)
    const nodes = await store.nodes(ids, { links: 0, times: true })
    const present = nodes.filter((node) => node !== undefined)
    return plain(present.map(({ id, title, modified }) => ({ id, title, ...(modified === undefined ? {} : { modified }) })))
  })
}
