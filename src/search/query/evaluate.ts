import type { Condition, Lookup } from '../../core/query.ts'
import type { KeySet } from '../key-set.ts'

/** Looks up the notes for single conditions. The results may include notes that are not in `all`, which are ignored. */
export interface QuerySource {
  /** The notes that the query may return. */
  all(): KeySet
  lookUp(lookup: Exclude<Lookup, SetLookup>): KeySet
  /**
   * Returns the files that link to any of the given ones (`links`) or are linked from any (`linkedfrom`). Links of a file to itself
   * do not count.
   */
  linked(field: SetLookup['field'], keys: KeySet): KeySet
  /** Returns the source for conditions inside a set, which apply to all listed files. */
  sets(): QuerySource
}

type SetLookup = Extract<Lookup, { readonly kind: 'set' }>

/** Returns the notes that match a condition. Each lookup is made at most once, and only if it can affect the result. */
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

  /** Returns the given notes that match. Stops when no notes are left. */
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
    // All sets share an evaluation, so equal sets are evaluated only once.
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

/**
 * Returns the relative cost of a condition, to order conditions. Metadata indexes are cheapest, followed by a single posting list,
 * conditions that scan all paths, many posting lists or full text, and sets, which are queries of their own.
 */
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
