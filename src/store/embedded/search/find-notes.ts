import type { Condition, Feature, Lookup } from '../../../core/query.ts'
import type { Found, FoundNote } from '../../../core/search.ts'
import type { FindOrder, Page } from '../../../core/store.ts'
import { foldName } from '../../../core/text/fold.ts'
import { evaluate, KeySet, type QuerySource } from '../../../search/query/evaluate.ts'
import { walk } from '../../../search/query/query.ts'
import type { WordIndex } from '../../../search/words/index/word-index.ts'
import type { Projection } from '../projection.ts'
import type { Facets, Relations } from './facets.ts'

/** Loads the data needed by a condition and an order. */
export async function loadFor(condition: Condition | undefined, order: FindOrder, facts: VaultFacts): Promise<void> {
  const kinds = kindsOf(condition)
  const asksTimes = kinds.has('time') || order.by === 'created' || order.by === 'modified'
  if (asksTimes || OF_FACETS.some((kind) => kinds.has(kind))) await facts.facets.flush()
  if (kinds.has('relation')) await facts.relations.flush()
}

const OF_FACETS: readonly Lookup['kind'][] = ['property', 'comparison', 'task', 'has']

export interface Asked {
  readonly condition: Condition | undefined
  readonly order: FindOrder
  /** Notes that may be returned. */
  readonly candidates: KeySet
}

/** Returns the candidates that match a condition, in the requested order. The data must be loaded. */
export function findNotes({ condition, order, candidates }: Asked, facts: VaultFacts, page: Page): Found {
  const matches = condition === undefined ? candidates : evaluate(condition, new VaultSource(facts, candidates))
  const end = page.offset + page.limit
  const { graph } = facts.projection
  const isRanked = order.by === 'relevance'
  const scores =
    order.terms.length === 0
      ? new Map<number, number>()
      : relevance(matches, order, { facts, limit: isRanked ? end : matches.size })
  const keys = isRanked ? byRelevance(matches, scores, { facts, limit: end }) : bySortKey(matches, order, facts)
  const items = keys.slice(page.offset, end).map((key): FoundNote => {
    const found = { id: graph.id(key), title: graph.title(key) }
    return order.terms.length === 0 ? found : { ...found, score: scores.get(key) ?? 0 }
  })
  return { items, total: matches.size }
}

interface Wanted {
  readonly facts: VaultFacts
  /** Number of best matches needed. */
  readonly limit: number
}

/** Scores the best matches from 0 to 1. Ids in `first` get 1. */
function relevance(
  matches: KeySet,
  { terms, first }: Pick<FindOrder, 'terms' | 'first'>,
  { facts, limit }: Wanted,
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

/** Orders scored notes best first, followed by the others by id. Not every condition produces scores. */
function byRelevance(matches: KeySet, scores: ReadonlyMap<number, number>, { facts, limit }: Wanted): number[] {
  const { graph } = facts.projection
  const ranked = [...scores.keys()].sort(
    (a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || compare<string>(graph.id(a), graph.id(b)),
  )
  if (ranked.length >= limit || ranked.length === matches.size) return ranked
  for (const key of graph.order()) {
    if (ranked.length >= limit) break
    if (matches.has(key) && !scores.has(key)) ranked.push(key)
  }
  return ranked
}

function bySortKey(matches: KeySet, { by, direction }: FindOrder, { projection: { graph }, facets }: VaultFacts): number[] {
  const sign = direction === 'asc' ? 1 : -1
  const rows = [...matches].map((key) => ({
    key,
    id: graph.id(key),
    // Notes without the requested time are sorted last in either direction.
    value:
      by === 'title' ? foldName(graph.title(key)) : timeOr(facets.time(key, by === 'created' ? 'created' : 'modified'), sign),
  }))
  rows.sort((a, b) => sign * compare(a.value, b.value) || compare(a.id, b.id))
  return rows.map(({ key }) => key)
}

function timeOr(time: number, sign: number): number {
  return Number.isNaN(time) ? sign * Number.POSITIVE_INFINITY : time
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function kindsOf(condition: Condition | undefined): ReadonlySet<Lookup['kind']> {
  return new Set(condition === undefined ? [] : [...walk(condition)].map(({ leaf }) => leaf.kind))
}

export interface VaultFacts {
  readonly projection: Projection
  readonly words: WordIndex
  /** Must be loaded if the query refers to times or properties. */
  readonly facets: Facets
  /** Must be loaded if the query refers to relations. */
  readonly relations: Relations
}

/** Performs the lookups of a query. */
class VaultSource implements QuerySource {
  readonly #facts: VaultFacts
  readonly #candidates: KeySet

  /** `candidates`: notes that may be returned. */
  constructor(facts: VaultFacts, candidates: KeySet) {
    this.#facts = facts
    this.#candidates = candidates
  }

  all(): KeySet {
    return this.#candidates
  }

  lookUp(lookup: Lookup): KeySet {
    const { projection, words, facets } = this.#facts
    switch (lookup.kind) {
      case 'word':
        return KeySet.of(words.keysWith(lookup.word, lookup.field))
      case 'phrase':
        return KeySet.of(words.keysWithPhrase(lookup.phrase, lookup.field))
      case 'nothing':
        return KeySet.EMPTY
      case 'tag':
        return KeySet.of(projection.tags().keys(lookup.name))
      case 'property':
        return this.#where((key) => facets.hasProperty(key, lookup.name, lookup.value))
      case 'comparison':
        return this.#where((key) => facets.comparesProperty(key, lookup.name, lookup))
      case 'links':
      case 'linkedfrom':
        return this.#linked(lookup)
      case 'among':
        return KeySet.of(lookup.nodes.flatMap((id) => projection.graph.find(id) ?? []))
      case 'task':
        return this.#where((key) => facets.hasTask(key, lookup.state))
      case 'relation':
        return this.#related(lookup)
      case 'path':
        return this.#where((key) => projection.graph.folded(key).includes(lookup.text))
      case 'time':
        return this.#where((key) => {
          const time = facets.time(key, lookup.field)
          return time >= lookup.from && time < lookup.to
        })
      case 'has':
        return this.#having(lookup.feature)
    }
  }

  #related({ name, targets }: Extract<Lookup, { readonly kind: 'relation' }>): KeySet {
    const { graph } = this.#facts.projection
    const wanted = targets === undefined ? undefined : new Set(targets.map((id) => graph.find(id)))
    const keys: number[] = []
    for (const [key, ends] of this.#facts.relations.of(name)) {
      if (wanted === undefined || ends.some((end) => wanted.has(end))) keys.push(key)
    }
    return KeySet.of(keys)
  }

  #linked({ kind, nodes }: Extract<Lookup, { readonly kind: 'links' | 'linkedfrom' }>): KeySet {
    const { graph } = this.#facts.projection
    const keys: number[] = []
    for (const id of nodes) {
      const node = graph.find(id)
      if (node === undefined) continue
      for (const other of kind === 'links' ? graph.sources(node) : graph.targets(node)) if (other !== node) keys.push(other)
    }
    return KeySet.of(keys)
  }

  #having(feature: Feature): KeySet {
    const { graph } = this.#facts.projection
    switch (feature) {
      case 'attachment':
        return this.#where((key) => [...graph.targets(key)].some((target) => graph.kind(target) === 'attachment'))
      case 'link':
        return this.#where((key) => graph.outDegree(key) > 0)
      case 'backlink':
        return this.#where((key) => graph.inDegree(key) > 0)
      case 'tag':
        return this.#where((key) => (graph.row(key)?.tags.length ?? 0) > 0)
      case 'alias':
        return this.#where((key) => (graph.row(key)?.aliases.length ?? 0) > 0)
      case 'property':
        return this.#where((key) => this.#facts.facets.hasProperties(key))
    }
  }

  #where(isWanted: (key: number) => boolean): KeySet {
    const keys: number[] = []
    for (const key of this.#candidates) if (isWanted(key)) keys.push(key)
    return KeySet.of(keys)
  }
}
