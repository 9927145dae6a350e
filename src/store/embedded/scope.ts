import type { NodeKind, Scope } from '../../core/store.ts'
import type { Graph, NodeIndex } from '../../graph/graph.ts'
import { KeySet } from '../../search/key-set.ts'
import { isWhole, NOTES, pathStart } from '../note-facts.ts'
import type { Projection } from './projection.ts'

export function inScope(projection: Projection, scope: Scope): readonly NodeIndex[] {
  return isWhole(scope)
    ? projection.once(`nodes ${JSON.stringify(scope)}`, () => find(projection, scope))
    : find(projection, scope)
}

export function keysInScope(projection: Projection, scope: Scope): KeySet {
  if (!isWhole(scope)) return KeySet.of(inScope(projection, scope).filter((node) => node >= 0))
  return projection.once(`keys ${JSON.stringify(scope)}`, () => KeySet.of(keysOfWhole(projection, scope)))
}

/** Yields keys in ascending order. */
function* keysOfWhole({ graph }: Projection, scope: Scope): Generator<number> {
  const accept = fileFilter(graph, scope)
  for (let key = 0; key < graph.size; key++) if (accept(key)) yield key
}

function find(projection: Projection, scope: Scope): readonly NodeIndex[] {
  const { graph } = projection
  const kinds = scope.kinds ?? NOTES
  const tagged = taggedFiles(projection, scope.tags)
  const start = pathStart(scope)
  const accept = fileFilter(graph, scope)
  const nodes: NodeIndex[] = []
  for (const key of scope.note === undefined ? graph.order() : onlyKey(graph, scope.note)) {
    if (tagged !== undefined && tagged[key] !== 1) continue
    if (accept(key) && (start === '' || graph.folded(key).startsWith(start))) nodes.push(key)
  }
  if (!kinds.includes('missing') || tagged !== undefined || scope.note !== undefined) return nodes
  for (const node of graph.missing()) if (graph.folded(node).startsWith(start)) nodes.push(node)
  return nodes
}

/** Returns a test for the scope, which is cheap for the whole vault. */
export function acceptor(projection: Projection, scope: Scope): (key: number) => boolean {
  const { graph } = projection
  if (!isWhole(scope)) {
    const keys = new Set(inScope(projection, scope))
    return (key) => keys.has(key)
  }
  const accept = fileFilter(graph, scope)
  let calls = 0
  let keys: KeySet | undefined
  return (key) => {
    if (calls++ < FEW) return accept(key)
    keys ??= keysInScope(projection, scope)
    return keys.has(key)
  }
}

/** After this many checks, the set of all matching keys is built. */
const FEW = 2_000

function fileFilter(graph: Graph, scope: Scope): (key: number) => boolean {
  const accept = stateFilter(graph, scope)
  const isOfKind = kindFilter(graph, scope.kinds ?? NOTES, scope)
  return (key) => isOfKind(key) && accept(key)
}

function stateFilter(graph: Graph, { withoutArchived = false, withoutConflicts = false }: Scope): (key: number) => boolean {
  if (!withoutArchived && !withoutConflicts) return () => true
  return (key) => {
    const row = graph.row(key)
    return !(withoutArchived && row?.archived) && !(withoutConflicts && row?.conflict)
  }
}

function onlyKey(graph: Graph, note: string): readonly number[] {
  const key = graph.find(note)
  return key === undefined || key < 0 ? [] : [key]
}

function kindFilter(graph: Graph, kinds: readonly NodeKind[], { withExcluded = false }: Scope): (key: number) => boolean {
  if (!withExcluded && kinds.every((kind) => kind === 'note')) return (key) => kinds.length > 0 && graph.isListedNote(key)
  return (key) => {
    const row = graph.row(key)
    return row !== undefined && (withExcluded || !row.excluded) && kinds.includes(row.kind)
  }
}

/** Returns an array with a 1 for each key of a file with the tags, or `undefined` if the scope has no tags. */
function taggedFiles(projection: Projection, tags: Scope['tags']): Uint8Array | undefined {
  if (tags === undefined || tags.names.length === 0) return undefined
  const index = projection.tags()
  const sets = tags.names.map((name) => index.keys(name)).sort((a, b) => a.size - b.size)
  const tagged = new Uint8Array(projection.graph.size)
  for (const set of tags.mode === 'all' ? sets.slice(0, 1) : sets) {
    for (const key of set) if (tags.mode === 'any' || sets.every((other) => other.has(key))) tagged[key] = 1
  }
  return tagged
}
