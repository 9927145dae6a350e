import type { Graph } from '../../graph/graph.ts'

/** Files that have a problem of any kind, by id. */
export function findNotesWithProblems(graph: Graph): readonly number[] {
  return graph
    .order()
    .filter((key) => graph.problemCount(key) > 0 || (graph.isListedNote(key) && (isOrphan(graph, key) || graph.hasTwins(key))))
}

/** A note that no other note links to and that links to no other. */
export function isOrphan(graph: Graph, key: number): boolean {
  return graph.inDegree(key) === 0 && graph.outDegree(key) === 0
}
