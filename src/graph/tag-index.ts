import type { TagCount } from '../core/store.ts'
import { foldName } from '../core/text/fold.ts'
import { type GraphRow, isListedRow } from './graph.ts'

interface TagEntry {
  readonly keys: Set<number>
  listed: number
  readonly spellings: Map<string, number>
}

/** An index of tags, in which a nested tag also counts for its parents. */
export class TagIndex {
  readonly #tags = new Map<string, TagEntry>()
  #cachedCounts: readonly { readonly folded: string; readonly tag: TagCount }[] | undefined

  add(row: GraphRow): void {
    this.#cachedCounts = undefined
    const listedBit = isListedRow(row) ? 1 : 0
    for (const [folded, name] of withParents(row.tags)) {
      const existing = this.#tags.get(folded)
      const entry = existing ?? { keys: new Set<number>(), listed: 0, spellings: new Map<string, number>() }
      if (existing === undefined) this.#tags.set(folded, entry)
      entry.keys.add(row.key)
      entry.listed += listedBit
      entry.spellings.set(name, (entry.spellings.get(name) ?? 0) + 1)
    }
  }

  /** Removes a row, which must equal the one that was added. */
  remove(row: GraphRow): void {
    this.#cachedCounts = undefined
    const listedBit = isListedRow(row) ? 1 : 0
    for (const [folded, name] of withParents(row.tags)) {
      const entry = this.#tags.get(folded)
      if (entry === undefined) continue
      entry.keys.delete(row.key)
      entry.listed -= listedBit
      const remaining = (entry.spellings.get(name) ?? 0) - 1
      if (remaining > 0) entry.spellings.set(name, remaining)
      else entry.spellings.delete(name)
      if (entry.keys.size === 0) this.#tags.delete(folded)
    }
  }

  keys(tag: string): ReadonlySet<number> {
    return this.#tags.get(tag)?.keys ?? NONE
  }

  /** Returns the tags that start with the folded prefix, most frequent first. */
  counts(prefix: string): readonly TagCount[] {
    this.#cachedCounts ??= this.#count()
    const matching = prefix === '' ? this.#cachedCounts : this.#cachedCounts.filter(({ folded }) => folded.startsWith(prefix))
    return matching.map(({ tag }) => tag)
  }

  #count(): readonly { readonly folded: string; readonly tag: TagCount }[] {
    const counts: { readonly folded: string; readonly tag: TagCount }[] = []
    for (const [folded, { listed, spellings }] of this.#tags) {
      if (listed > 0) counts.push({ folded, tag: { tag: mostCommonSpelling(spellings), count: listed } })
    }
    return counts.sort(({ tag: a }, { tag: b }) => b.count - a.count || (a.tag < b.tag ? -1 : Number(a.tag > b.tag)))
  }
}

const NONE: ReadonlySet<number> = new Set()

export function withParents(tags: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const tag of tags) {
    for (let end = tag.indexOf('/'); end >= 0; end = tag.indexOf('/', end + 1)) {
      const parent = tag.slice(0, end)
      if (parent !== '' && !parent.endsWith('/')) addName(names, parent)
    }
    addName(names, tag)
  }
  return names
}

function addName(names: Map<string, string>, name: string): void {
  const folded = foldName(name)
  if (!names.has(folded)) names.set(folded, name)
}

/** Returns the most common spelling. Code-point order decides ties. */
export function mostCommonSpelling(spellings: ReadonlyMap<string, number>): string {
  let best = ''
  let maxCount = 0
  for (const [spelling, count] of spellings) {
    if (count < maxCount || (count === maxCount && spelling > best)) continue
    best = spelling
    maxCount = count
  }
  return best
}
