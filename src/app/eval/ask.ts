import type { Call } from '../answer/answer-when-ready.ts'
import { type SearchArguments, search } from '../find/search.ts'
import type { GraphCore } from '../graph-core.ts'
import type { KnownItem } from './known-items.ts'

export type SearchMode = SearchArguments['mode']

/** The result for a known item. */
export interface Asked {
  readonly item: KnownItem
  /** From 1; 0 where it is not among the first ten. */
  readonly rank: number
  /** How long the answer took, ms. */
  readonly ms: number
}

export interface AskOptions {
  readonly mode: SearchMode
  readonly call: Call
  /** Called after every answer. */
  readonly onAsked: () => void
}

const DEPTH = 10
const DEFAULTS = { includeContent: false, relevance: 'normal', explain: false } as const

/** Asks `search` each query, one after the other, with the tool's own defaults. */
export async function askKnownItems(
  core: GraphCore,
  items: readonly KnownItem[],
  { mode, call, onAsked }: AskOptions,
): Promise<readonly Asked[]> {
  const asked: Asked[] = []
  for (const item of items) {
    call.signal?.throwIfAborted()
    const limit = item.source === undefined ? DEPTH : DEPTH + 1
    const began = performance.now()
    const { value } = await search(core, { ...DEFAULTS, query: item.query, mode, limit }, call)
    const ms = performance.now() - began
    const rank = value.filter(({ id }) => id !== item.source).findIndex(({ id }) => id === item.wanted) + 1
    asked.push({ item, rank: rank > DEPTH ? 0 : rank, ms })
    onAsked()
  }
  return asked
}
