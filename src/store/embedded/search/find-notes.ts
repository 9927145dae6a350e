import type { NodeId } from '../../../core/ids.ts'
import { folderOf, folderStart } from '../../../core/paths.ts'
import type { Condition, Feature, Lookup } from '../../../core/query.ts'
import type { FoundNote, FoundPage } from '../../../core/search.ts'
import type { FindOrder, GroupBy, GroupedNote, Page } from '../../../core/store.ts'
import { compareTexts } from '../../../core/text/compare-texts.ts'
import { foldName } from '../../../core/text/fold.ts'
import type { NodeIndex } from '../../../graph/graph.ts'
import { withParents } from '../../../graph/tag-index.ts'
import { KeySet } from '../../../search/key-set.ts'
import { evaluate, type QuerySource } from '../../../search/query/evaluate.ts'
import { walk } from '../../../search/query/query.ts'
import type { WordIndex } from '../../../search/words/index/word-index.ts'
import { IN_SETS } from '../../note-facts.ts'
import type { Projection } from '../projection.ts'
import { keysInScope } from '../scope.ts'
import type { Facets, Relations } from './facets.ts'

export async function loadFor(condition: Condition | undefined, order: FindOrder | undefined, facts: VaultFacts): Promise<void> {
  const kinds = new Set(condition === undefined ? [] : [...walk(condition)].map(({ leaf }) => leaf.kind))
  const asksTimes = kinds.has('time') || order?.by === 'created' || order?.by === 'modified'
  if (asksTimes || OF_FACETS.some((kind) => kinds.has(kind))) await facts.facets.flush()
  if (kinds.has('relation')) await facts.relations.flush()
}

const OF_FACETS: readonly Lookup['kind'][] = ['property', 'comparison', 'task', 'has']

export interface FindRequest {
  readonly condition: Condition | undefined
  readonly order: FindOrder
  readonly candidates: KeySet
}

export async function loadForGroups(condition: Condition | undefined, by: readonly GroupBy[], facts: VaultFacts): Promise<void> {
  if (by.some(({ kind }) => kind !== 'folder' && kind !== 'tag')) await facts.facets.flush()
  await loadFor(condition, undefined, facts)
}

/** The facts must be loaded before this call. */
export function findNotes({ condition, order, candidates }: FindRequest, facts: VaultFacts, page: Page): FoundPage {
  const matches = matching({ condition, candidates }, facts)
  const end = page.offset + page.limit
  const { graph } = facts.projection
  const isRanked = order.by === 'relevance'
  const scores =
    order.terms.length === 0
      ? new Map<number, number>()
      : relevance(matches, order, { facts, limit: isRanked ? end : matches.size })
  const keys = isRanked ? byRelevance(matches, scores, { facts, limit: end }) : bySortKey(matches, order, facts)
  const items = keys.slice(page.offset, end).map((key): FoundNote => {
    const note = { id: graph.id(key), title: graph.title(key) }
    return order.terms.length === 0 ? note : { ...note, score: scores.get(key) ?? 0 }
  })
  return { items, total: matches.size }
}

/** Returns notes ordered by id. The facts must have been loaded. */
export function groupValues(
  { by, ...asked }: Pick<FindRequest, 'condition' | 'candidates'> & { readonly by: readonly GroupBy[] },
  facts: VaultFacts,
): readonly GroupedNote[] {
  const matches = matching(asked, facts)
  const { graph } = facts.projection
  const notes: GroupedNote[] = []
  for (const key of graph.order()) {
    const path = matches.has(key) ? graph.row(key)?.path : undefined
    if (path === undefined) continue
    notes.push({ id: graph.id(key), path, values: by.map((grouping) => valuesOf(key, grouping, facts)) })
  }
  return notes
}

function valuesOf(key: number, by: GroupBy, { projection: { graph }, facets }: VaultFacts): readonly string[] {
  switch (by.kind) {
    case 'property':
      return facets.propertyTexts(key, by.name)
    case 'folder':
      return [folderOf(graph.row(key)?.path ?? '')]
    case 'tag':
      return [...withParents(graph.row(key)?.tags ?? []).values()]
    default: {
      const time = facets.time(key, by.kind)
      return Number.isNaN(time) ? [] : [String(time)]
    }
  }
}

function matching({ condition, candidates }: Pick<FindRequest, 'condition' | 'candidates'>, facts: VaultFacts): KeySet {
  return condition === undefined ? candidates : evaluate(condition, new VaultSource(facts, candidates))
}

interface FindOptions {
  readonly facts: VaultFacts
  readonly limit: number
}

/** Returns a relevance from 0 to 1. Notes in `first` get 1. */
function relevance(
  matches: KeySet,
  { terms, first }: Pick<FindOrder, 'terms' | 'first'>,
  { facts, limit }: FindOptions,
): Map<number, number> {
  const ranking = facts.words.rank(terms, { limit, accept: (key) => matches.has(key), withTies: true })
  const scores = new Map<number, number>()
  for (const { key, score } of ranking.hits) scores.set(key, ranking.maxScore === 0 ? 0 : score / ranking.maxScore)
  for (const id of first) {
    const key = facts.projection.graph.find(id)
    if (key !== undefined && matches.has(key)) scores.set(key, 1)
  }
  return scores
}

/** Returns keys by relevance. Notes without a score come last, ordered by id. */
function byRelevance(matches: KeySet, scores: ReadonlyMap<number, number>, { facts, limit }: FindOptions): number[] {
  const { graph } = facts.projection
  const ordered = [...scores.keys()].sort(
    (a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || compareTexts<string>(graph.id(a), graph.id(b)),
  )
  if (ordered.length >= limit || ordered.length === matches.size) return ordered
  for (const key of graph.order()) {
    if (ordered.length >= limit) break
    if (matches.has(key) && !scores.has(key)) ordered.push(key)
  }
  return ordered
}

function bySortKey(matches: KeySet, { by, direction }: FindOrder, { projection: { graph }, facets }: VaultFacts): number[] {
  const factor = direction === 'asc' ? 1 : -1
  const rows = [...matches].map((key) => ({
    key,
    id: graph.id(key),
    value:
      by === 'title' ? foldName(graph.title(key)) : timeOr(facets.time(key, by === 'created' ? 'created' : 'modified'), factor),
  }))
  rows.sort((a, b) => factor * compareTexts(a.value, b.value) || compareTexts(a.id, b.id))
  return rows.map(({ key }) => key)
}

function timeOr(time: number, factor: number): number {
  return Number.isNaN(time) ? factor * Number.POSITIVE_INFINITY : time
}

export interface VaultFacts {
  readonly projection: Projection
  readonly words: WordIndex
  /** The facts for times and properties, which are loaded only for queries that use them. */
  readonly facets: Facets
  /** The facts for relations, which are loaded only for queries that use them. */
  readonly relations: Relations
}

class VaultSource implements QuerySource {
  readonly #facts: VaultFacts
  readonly #candidates: KeySet
  #sets: QuerySource | undefined

  constructor(facts: VaultFacts, candidates: KeySet) {
    this.#facts = facts
    this.#candidates = candidates
  }

  all(): KeySet {
    return this.#candidates
  }

  sets(): QuerySource {
    if (this.#sets === undefined) {
      const source = new VaultSource(this.#facts, keysInScope(this.#facts.projection, IN_SETS))
      source.#sets = source
      this.#sets = source
    }
    return this.#sets
  }

  lookUp(lookup: Exclude<Lookup, { readonly kind: 'set' }>): KeySet {
    const { projection, words, facets } = this.#facts
    switch (lookup.kind) {
      case 'word':
        return words.keysWith(lookup.word, lookup.field)
      case 'phrase':
        return words.keysWithPhrase(lookup.phrase, lookup.field)
      case 'nothing':
        return KeySet.EMPTY
      case 'tag':
        return KeySet.of(projection.tags().keys(lookup.name))
      case 'property':
        return this.#keysWhere((key) => facets.hasProperty(key, lookup.name, lookup.value))
      case 'comparison':
        return this.#keysWhere((key) => facets.comparesProperty(key, lookup.name, lookup))
      case 'links':
      case 'linkedfrom':
        return this.linked(lookup.kind, this.#nodesOf(lookup.nodes))
      case 'among':
        return KeySet.of(this.#nodesOf(lookup.nodes))
      case 'task':
        return this.#keysWhere((key) => facets.hasTask(key, lookup.state))
      case 'relation':
        return this.#related(lookup)
      case 'path':
        return this.#keysWhere((key) => projection.graph.folded(key).includes(lookup.text))
      case 'folder':
        return this.#keysWhere((key) => projection.graph.folded(key).startsWith(folderStart(lookup.folder)))
      case 'time':
        return this.#keysWhere((key) => {
          const time = facets.time(key, lookup.field)
          return time >= lookup.from && time < lookup.to
        })
      case 'has':
        return this.#having(lookup.feature)
    }
  }

  #related({ name, targets }: Extract<Lookup, { readonly kind: 'relation' }>): KeySet {
    const { graph } = this.#facts.projection
    const targetIndexes = targets === undefined ? undefined : new Set(targets.map((id) => graph.find(id)))
    const keys: number[] = []
    for (const [key, ends] of this.#facts.relations.of(name)) {
      if (targetIndexes === undefined || ends.some((end) => targetIndexes.has(end))) keys.push(key)
    }
    return KeySet.of(keys)
  }

  #nodesOf(ids: readonly NodeId[]): readonly NodeIndex[] {
    const { graph } = this.#facts.projection
    return ids.flatMap((id) => graph.find(id) ?? [])
  }

  linked(field: 'links' | 'linkedfrom', nodes: Iterable<NodeIndex>): KeySet {
    const { graph } = this.#facts.projection
    const keys: number[] = []
    for (const node of nodes) {
      for (const other of field === 'links' ? graph.sources(node) : graph.targets(node)) if (other !== node) keys.push(other)
    }
    return KeySet.of(keys)
  }

  #having(feature: Feature): KeySet {
    const { graph } = this.#facts.projection
    switch (feature) {
      case 'attachment':
        return this.#keysWhere((key) => [...graph.targets(key)].some((target) => graph.kind(target) === 'attachment'))
      case 'link':
        return this.#keysWhere((key) => graph.outDegree(key) > 0)
      case 'backlink':
        return this.#keysWhere((key) => graph.inDegree(key) > 0)
      case 'tag':
        return this.#keysWhere((key) => (graph.row(key)?.tags.length ?? 0) > 0)
      case 'alias':
        return this.#keysWhere((key) => (graph.row(key)?.aliases.length ?? 0) > 0)
      case 'property':
        return this.#keysWhere((key) => this.#facts.facets.hasProperties(key))
    }
  }

  #keysWhere(accept: (key: number) => boolean): KeySet {
    const keys: number[] = []
    for (const key of this.#candidates) if (accept(key)) keys.push(key)
    return KeySet.of(keys)
  }
}
