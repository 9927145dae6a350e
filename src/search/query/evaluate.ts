import type { Condition, Lookup } from '../../core/query.ts'
import type { KeySet } from '../key-set.ts'

/** The lookups of single conditions. Results may include notes that are not in `all`. */
export interface QuerySource {
  all(): KeySet
  lookUp(lookup: Exclude<Lookup, SetLookup>): KeySet
  /**
   * Returns files that link to any of `keys` (`links`), or are linked from any (`linkedfrom`). Links of a file to itself do not
   * count.
   */
  linked(field: SetLookup['field'], keys: KeySet): KeySet
  sets(): QuerySource
}

type SetLookup = Extract<Lookup, { readonly kind: 'set' }>

/** Evaluates a condition. Each lookup is made at most once, and only if it can change the result. */
export function evaluate(condition: Condition, source: QuerySource): KeySet {
  return new Evaluation(source).within(source.all(), condition)
}

class Evaluation {
  readonly #source: QuerySource
  readonly #cache = new Map<string, KeySet>()
  #sets: Evaluation | undefined

  constructor(source: QuerySource) {
    this.#source = source
  }

  within(notes: KeySet, condition: Condition): KeySet {
    if (notes.isEmpty) return notes
    switch (condition.kind) {
      case 'and':
        return cheapestFirst(condition.parts).reduce((keys, part) => this.within(keys, part), notes)
      case 'or':
        return notes.andNot(condition.parts.reduce((keys, part) => keys.andNot(this.within(keys, part)), notes))
      case 'not':
        return notes.andNot(this.within(notes, condition.part))
      default:
        return notes.and(this.#lookUp(condition))
    }
  }

  #lookUp(lookup: Lookup): KeySet {
    const name = JSON.stringify(lookup)
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const keys = lookup.kind === 'set' ? this.#linked(lookup) : this.#source.lookUp(lookup)
    this.#cache.set(name, keys)
    return keys
  }

  #linked({ field, condition }: SetLookup): KeySet {
    const source = this.#source.sets()
    // All sets share an evaluation, so equal sets are evaluated once.
    this.#sets ??= source === this.#source ? this : new Evaluation(source)
    return this.#source.linked(field, this.#sets.within(source.all(), condition))
  }
}

function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  return parts
    .map((part) => ({ part, cost: cost(part) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ part }) => part)
}

/** Returns a relative cost. Metadata is cheapest, then one posting list, path scans, full text and sets. */
function cost(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.reduce((max, part) => Math.max(max, cost(part)), 0)
    case 'not':
      return cost(condition.part)
    case 'word':
      return condition.word.match === 'prefix' ? 3 : 1
    case 'path':
    case 'folder':
      return 2
    case 'phrase':
      return 4
    case 'set':
      return 5
    default:
      return 0
  }
}
