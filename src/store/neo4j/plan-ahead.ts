import type { NodeId } from '../../core/ids.ts'
import type { WordTerm } from '../../core/query.ts'
import type { Scope, Snapshot } from '../../core/store.ts'
import type { StoredEmbedder } from './questions.ts'

const WORD: WordTerm = { form: 'x', stem: 'x', match: 'stem', count: 1, parts: [] }
const [ONE, OTHER] = ['x', 'y'] as unknown as readonly [NodeId, NodeId]
const PAGE = { offset: 0, limit: 1 }
/** The scopes of `find_nodes` (`LISTED`) and `search` (`FOUND`). */
const LISTED: Scope = { kinds: ['note', 'canvas'], withoutArchived: true }
const FOUND: Scope = { kinds: ['note', 'canvas'], withoutArchived: true, withoutConflicts: true }

/**
 * Runs common queries with ids that do not exist, so the database plans them. Concurrent queries form one statement, so they must
 * be grouped and ordered exactly as in the use cases.
 */
export async function planAhead(snapshot: Snapshot, embedders: readonly StoredEmbedder[]): Promise<void> {
  const nameQueries = () => [
    snapshot.kinds([ONE]),
    snapshot.names(['x'], 'equal', { kinds: ['note', 'canvas'] }),
    snapshot.names(['x'], 'equal', { kinds: ['attachment'] }),
  ]
  const exactly = (scope: Scope) => [
    snapshot.names(['x'], 'equal', scope),
    snapshot.names(['x'], 'plain', scope),
    snapshot.kinds([ONE]),
  ]
  const searchQueries = () => [snapshot.words([WORD], FOUND, 1), ...exactly(FOUND)]
  const texts = () => [snapshot.versions([ONE]), snapshot.texts?.([ONE])]
  const notes = () => [...texts(), snapshot.nodes([ONE], { links: 1 })]
  await Promise.all(nameQueries())
  // A missing note may also have this name.
  const anyKind = { kinds: ['note', 'canvas', 'attachment', 'missing'], withExcluded: true } as const
  await Promise.all([...nameQueries(), snapshot.names(['x'], 'equal', anyKind)])
  await Promise.all(notes())
  // Answers contain the original spelling of paths.
  await snapshot.versions([ONE])
  // The first search also counts the notes.
  await Promise.all(searchQueries())
  await Promise.all(searchQueries())
  for (const { embedder, dimensions } of embedders) {
    const vector = new Float32Array(dimensions ?? 1).fill(1)
    await snapshot.vectorStates()
    const bounds = { limit: 1, minimum: 0 }
    const nearest = () => [
      snapshot.nearest(embedder, [vector], FOUND, 1),
      snapshot.nearestNames(embedder, [vector], FOUND, bounds),
    ]
    await Promise.all(nearest())
    // If words match, links are read together with the nearest vectors.
    await Promise.all([snapshot.linksWithin([{ id: ONE, start: 0, end: 1 }], FOUND), ...texts(), ...nearest()])
    // Multilingual models also need the languages of the vault.
    const grouped = () => [...nearest(), snapshot.languages([])]
    await Promise.all(grouped())
    await Promise.all([snapshot.linksWithin([{ id: ONE, start: 0, end: 1 }], FOUND), ...texts(), ...grouped()])
    await snapshot.languages([ONE])
    const vectors = () => snapshot.vectors(embedder, [ONE])
    // Passages depend on the language of their note.
    const passages = () => [vectors(), snapshot.languages([ONE])]
    await Promise.all([...notes(), ...passages()])
    // If words match, the texts have been read with the links.
    await Promise.all([snapshot.nodes([ONE], { links: 1 }), ...passages()])
    // Similar results support each other, so their vectors and similar titles are read together.
    await Promise.all([vectors(), snapshot.names(['x'], 'similar', FOUND, { limit: 1, minimum: 0 })])
  }
  await snapshot.names(['x'], 'similar', FOUND, { limit: 1, minimum: 0 })
  await snapshot.names(['x'], 'equal', FOUND)
  await Promise.all(exactly({ kinds: ['note', 'canvas'] }))
  const order = { by: 'relevance', direction: 'desc', terms: [WORD], first: [] } as const
  await snapshot.find({ kind: 'word', word: WORD, field: 'any' }, { scope: LISTED, order }, PAGE)
  await Promise.all([snapshot.problems({ id: ONE }, PAGE), snapshot.problems({ id: ONE }, PAGE)])
  await snapshot.nodes([ONE], { links: 1 })
  for (const direction of ['both', 'in', 'out'] as const) await snapshot.neighbors(ONE, { direction }, PAGE)
  await snapshot.paths(ONE, OTHER, { direction: 'any', count: 1, avoidHubs: false })
  await snapshot.occurrences([[ONE, OTHER]])
  await Promise.all(texts())
  await snapshot.select({}, { offset: 0, limit: 0 })
  for (const metric of ['in_degree', 'pagerank'] as const) for (const limit of [1, 0]) await snapshot.hubs(metric, {}, limit)
}
