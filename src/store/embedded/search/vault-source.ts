import { foldName } from '../../../core/fold.ts'
import { foldId } from '../../../core/ids.ts'
import type { QuerySource } from '../../../search/query/evaluate.ts'
import { KeySet } from '../../../search/query/key-set.ts'
import type { Feature, TextForm, TimeField } from '../../../search/query/query.ts'
import { analyze } from '../../../search/words/analyze.ts'
import { phraseOf, queryTerms } from '../../../search/words/query.ts'
import type { WordIndex } from '../../../search/words/word-index.ts'
import { fileStem, type Projection } from '../projection.ts'
import type { Facets } from './facets.ts'
import type { Relations } from './relations.ts'

export interface VaultFacts {
  readonly projection: Projection
  readonly words: WordIndex
  /** Settled, where the query asks for times or properties. */
  readonly facets: Facets
  /** Settled, where the query asks for relations. */
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

  word(word: string): KeySet {
    return this.#text(word, 'any', 'word')
  }

  phrase(text: string): KeySet {
    return this.#text(text, 'any', 'phrase')
  }

  prefix(prefix: string): KeySet {
    return this.#text(prefix, 'any', 'prefix')
  }

  title(text: string, form: TextForm): KeySet {
    return this.#text(text, 'title', form)
  }

  tag(name: string): KeySet {
    return KeySet.of(this.#facts.projection.tags().keys(name))
  }

  property(name: string, value: string | undefined): KeySet {
    const folded = foldName(name)
    const wanted = value === undefined ? undefined : foldName(value.trim())
    return this.#where((key) => this.#facts.facets.hasProperty(key, folded, wanted))
  }

  type(value: string): KeySet {
    return this.property('type', value)
  }

  time(field: TimeField, from: number, to: number): KeySet {
    return this.#where((key) => {
      const time = this.#facts.facets.time(key, field)
      return time >= from && time < to
    })
  }

  relation(name: string, title: string | undefined): KeySet {
    const { graph } = this.#facts.projection
    const wanted = title === undefined ? undefined : foldName(title.trim())
    const path = foldId(title ?? '').trim()
    const isWanted = (target: number): boolean =>
      foldName(graph.title(target)) === wanted ||
      foldName(fileStem(graph.row(target)) ?? '') === wanted ||
      graph.row(target)?.aliases.some((alias) => foldName(alias) === wanted) === true ||
      graph.folded(target) === path ||
      graph.folded(target) === `${path}.md`
    const keys: number[] = []
    for (const [key, targets] of this.#facts.relations.of(name)) if (title === undefined || targets.some(isWanted)) keys.push(key)
    return KeySet.of(keys)
  }

  path(text: string): KeySet {
    const { graph } = this.#facts.projection
    const folded = foldId(text)
    return this.#where((key) => graph.folded(key).includes(folded))
  }

  has(feature: Feature): KeySet {
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

  /** A word that the analysis takes apart is a phrase; one that is nothing but signs is nowhere. */
  #text(text: string, field: 'any' | 'title', form: TextForm): KeySet {
    const { words } = this.#facts
    const tokens = analyze(text).filter(({ kind }) => kind === 'word')
    const [token] = tokens
    if (token === undefined) return KeySet.EMPTY
    if (form === 'prefix' && tokens.length === 1) return KeySet.of(words.keysWithPrefix(token.form, field))
    if (form === 'prefix') return KeySet.of(words.keysWithPhrase(phraseOf(text, { isPrefix: true }), field))
    if (form === 'phrase' || tokens.length > 1) return KeySet.of(words.keysWithPhrase(phraseOf(text), field))
    const [term = { ...token, match: 'stem' as const }] = queryTerms(text)
    return KeySet.of(words.keysWith(term, field))
  }

  #where(isWanted: (key: number) => boolean): KeySet {
    const keys: number[] = []
    for (const key of this.#candidates) if (isWanted(key)) keys.push(key)
    return KeySet.of(keys)
  }
}
