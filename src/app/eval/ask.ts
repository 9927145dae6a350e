import type { Call } from '../answer/answer-when-ready.ts'
import { type SearchArguments, search } from '../find/search.ts'
import type { GraphCore } from '../graph-core.ts'
import type { KnownItem } from './known-items.ts'
import { DEPTH } from './statistics.ts'

export type SearchMode = SearchArguments['mode']

/** The search result for one known item. */
export interface AskedItem {
  readonly item: KnownItem
  /** 1-based rank, or 0 if the note is not in the top ten. */
  readonly rank: number
  /** Response time in milliseconds. */
  readonly ms: number
}

export interface AskOptions {
  readonly mode: SearchMode
  readonly call: Call
  /** Called after every answer. */
  readonly onAsked: () => void
}

const DEFAULTS = { includeContent: false, relevance: 'normal', explain: false } as const

/** Runs each query through `search`, one at a time, with the tool's default settings. */
export async function askKnownItems(
  core: GraphCore,
  items: readonly KnownItem[],
  { mode, call, onAsked }: AskOptions,
): Promise<readonly AskedItem[]> {
  const results: AskedItem[] = []
  for (const item of items) {
    call.signal?.throwIfAborted()
    const limit = item.source === undefined ? DEPTH : DEPTH + 1
    const startedAt = performance.now()
    const { value } = await search(core, { ...DEFAULTS, query: item.query, mode, limit }, call)
    const ms = performance.now() - startedAt
    const rank = value.filter(({ id }) => id !== item.source).findIndex(({ id }) => id === item.expected) + 1
    results.push({ item, rank: rank > DEPTH ? 0 : rank, ms })
    onAsked()
  }
  return results
}
