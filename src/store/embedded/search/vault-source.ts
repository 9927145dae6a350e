import type { Feature, Lookup } from '../../../core/query.ts'
import { KeySet, type QuerySource } from '../../../search/query/evaluate.ts'
import type { WordIndex } from '../../../search/words/index/word-index.ts'
import type { Projection } from '../projection.ts'
import type { Facets } from './facets.ts'
import type { Relations } from './relations.ts'

export interface VaultFacts {
  readonly projection: Projection
  readonly words: WordIndex
  /** Loaded, where the query asks for times or properties. */
  readonly facets: Facets
  /** Loaded, where the query asks for relations. */
  readonly relations: Relations
}

/** Answers the look-ups of a query about a vault. */
export class VaultSource implements QuerySource {
  readonly #facts: VaultFacts
  readonly #candidates: KeySet

  /** `candidates`: the notes that may be answered. */
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
