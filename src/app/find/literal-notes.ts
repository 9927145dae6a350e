import type { NodeId } from '../../core/ids.ts'
import type { Condition } from '../../core/query.ts'
import type { Scope } from '../../core/store.ts'
import type { FusedHit } from '../../search/fusion.ts'
import type { Literal } from '../../search/literals.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { type ReadingContext, readNotes } from '../read/texts.ts'

const MAX_CHECKED_NOTES = 100

/** Returns notes with literal matches, sorted by keyword relevance. */
export async function literalNotes(
  reading: ReadingContext,
  literals: readonly Literal[],
  { question, scope }: { readonly question: string; readonly scope: Scope },
): Promise<ReadonlyMap<NodeId, number>> {
  const [first, ...more] = literals.map(({ candidates }) => candidates)
  if (first === undefined) return new Map()
  const condition: Condition = more.length === 0 ? first : { kind: 'or', parts: [first, ...more].flatMap(alternatives) }
  const order = { by: 'relevance', direction: 'desc', terms: queryTerms(question, reading.core.languages), first: [] } as const
  const { items } = await reading.snapshot.find(condition, { scope, order }, { offset: 0, limit: MAX_CHECKED_NOTES })
  const ids = items.map(({ id }) => id)
  const { notes } = await readNotes(reading, ids, { links: 0 })
  const counts = new Map<NodeId, number>()
  for (const note of notes) {
    if (note === undefined) continue
    const { node, source } = note
    const texts = [node.title, ...node.aliases, ...node.tags.map((tag) => `#${tag}`), source?.text ?? '']
    const count = literals.filter((literal) => texts.some((text) => literal.isIn(text))).length
    if (count > 0) counts.set(node.id, count)
  }
  return counts
}

function alternatives(condition: Condition): readonly Condition[] {
  return condition.kind === 'or' ? condition.parts : [condition]
}

/** Notes without a literal match get at most this score. */
const MAX_SCORE_WITHOUT_MATCH = 0.5

/** Sorts notes by literal matches. Those with the most come first. */
export function byLiterals(
  hits: readonly FusedHit<NodeId>[],
  counts: ReadonlyMap<NodeId, number>,
  literals: readonly Literal[],
): { readonly holding: readonly FusedHit<NodeId>[]; readonly others: readonly FusedHit<NodeId>[] } {
  const hitsByKey = new Map(hits.map((hit) => [hit.key, hit]))
  const holding = [...counts].map(([key, count]): FusedHit<NodeId> => {
    const hit = hitsByKey.get(key) ?? { key, score: 0, exact: false, keyword: undefined, semantic: undefined, weight: 0 }
    return {
      ...hit,
      score: MAX_SCORE_WITHOUT_MATCH + ((1 - MAX_SCORE_WITHOUT_MATCH) * (count - 1 + hit.score)) / literals.length,
    }
  })
  const others = hits.filter(({ key }) => !counts.has(key)).map(withinLimit)
  return { holding: holding.sort((a, b) => b.score - a.score), others }
}

export function withinLimit<Hit extends { readonly score: number }>(hit: Hit): Hit {
  return hit.score > MAX_SCORE_WITHOUT_MATCH ? { ...hit, score: MAX_SCORE_WITHOUT_MATCH } : hit
}
