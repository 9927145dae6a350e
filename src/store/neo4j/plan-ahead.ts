import type { NodeId } from '../../core/ids.ts'
import type { WordTerm } from '../../core/query.ts'
import type { Scope, Snapshot } from '../../core/store.ts'
import type { StoredEmbedder } from './questions.ts'

const WORD: WordTerm = { form: 'x', stem: 'x', match: 'stem', count: 1, parts: [] }
const [ONE, OTHER] = ['x', 'y'] as unknown as readonly [NodeId, NodeId]
const PAGE = { offset: 0, limit: 1 }
/** Where notes are found by what people write. */
const FOUND: Scope = { kinds: ['note', 'canvas'], withoutArchived: true, withoutConflicts: true }

/**
 * Asks what most use cases ask, one question after the other, about notes that are not there: a plan is of a question's shape, and what is in it does not
 * matter.
 */
export async function planAhead(snapshot: Snapshot, embedders: readonly StoredEmbedder[]): Promise<void> {
  await snapshot.kinds([ONE])
  await snapshot.nodes([ONE], { links: 1 })
  await snapshot.versions([ONE])
  await snapshot.names(['x'], 'equal', FOUND)
  await snapshot.words([WORD], FOUND, 1)
  for (const { embedder, dimensions } of embedders) {
    const vector = new Float32Array(dimensions ?? 1).fill(1)
    await snapshot.vectorStates()
    await snapshot.nearest(embedder, [vector], FOUND, 1)
    await snapshot.nearestNames(embedder, [vector], FOUND, { limit: 1, minimum: 0 })
    await snapshot.vectors(embedder, [ONE])
  }
  await snapshot.names(['x'], 'equal', { kinds: ['note', 'canvas'] })
  const order = { by: 'relevance', direction: 'desc', terms: [WORD], first: [] } as const
  await snapshot.find({ kind: 'word', word: WORD, field: 'any' }, { scope: FOUND, order }, PAGE)
  await snapshot.problems({ id: ONE }, PAGE)
  for (const direction of ['both', 'in', 'out'] as const) await snapshot.neighbors(ONE, { direction }, PAGE)
  await snapshot.paths(ONE, OTHER, { direction: 'any', count: 1, avoidHubs: false })
  await snapshot.occurrences([[ONE, OTHER]])
  await snapshot.select({}, { offset: 0, limit: 0 })
  for (const metric of ['in_degree', 'pagerank'] as const) for (const limit of [1, 0]) await snapshot.hubs(metric, {}, limit)
  await snapshot.names(['x'], 'similar', FOUND, { limit: 1, minimum: 0 })
}
