import type { Condition, Lookup } from '../../core/query.ts'
import type { KeySet } from './key-set.ts'

/** Look-ups of notes by what they have. A look-up may answer more notes than `all`: they are left out. */
export interface QuerySource {
  /** The notes that may be answered. */
  all(): KeySet
  lookUp(lookup: Lookup): KeySet
}

/** The notes that fit a condition. Each look-up is made at most once, and none whose answer cannot matter any more. */
export function evaluate(condition: Condition, source: QuerySource): KeySet {
  return new Evaluation(source).within(source.all(), condition)
}

/** Evaluation against one source, which remembers what was looked up. */
class Evaluation {
  readonly #source: QuerySource
  readonly #known = new Map<string, KeySet>()

  constructor(source: QuerySource) {
    this.#source = source
  }

  /** Those of `notes` that fit: so nothing is looked up for notes that are out already. */
  within(notes: KeySet, condition: Condition): KeySet {
    if (notes.isEmpty) return notes
    switch (condition.kind) {
      case 'and':
        return cheapestFirst(condition.parts).reduce((left, part) => this.within(left, part), notes)
      case 'or':
        return notes.andNot(condition.parts.reduce((left, part) => left.andNot(this.within(left, part)), notes))
      case 'not':
        return notes.andNot(this.within(notes, condition.part))
      default:
        return notes.and(this.#lookUp(condition))
    }
  }

  #lookUp(lookup: Lookup): KeySet {
    const name = JSON.stringify(lookup)
    const found = this.#known.get(name) ?? this.#source.lookUp(lookup)
    this.#known.set(name, found)
    return found
  }
}

function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  return parts
    .map((part) => ({ part, cost: cost(part) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ part }) => part)
}

/** Only the order counts: indexes of facts, then one posting list, then what goes through every path, many lists, or texts. */
function cost(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.reduce((most, part) => Math.max(most, cost(part)), 0)
    case 'not':
      return cost(condition.part)
    case 'word':
      return condition.word.match === 'prefix' ? 3 : 1
    case 'path':
      return 2
    case 'phrase':
      return 4
    default:
      return 0
  }
}
