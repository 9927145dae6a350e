import { foldName } from '../core/fold.ts'

interface TagEntry {
  /** In the spelling seen first. */
  readonly name: string
  readonly keys: Set<number>
}

/** Which files carry which tags; a nested tag counts for its parents too. */
export class TagIndex {
  readonly #tags = new Map<string, TagEntry>()
  readonly #byKey = new Map<number, readonly string[]>()

  /** Replaces the tags of a file; none: it is forgotten. */
  set(key: number, tags: readonly string[]): void {
    for (const tag of this.#byKey.get(key) ?? []) {
      const entry = this.#tags.get(tag)
      entry?.keys.delete(key)
      if (entry?.keys.size === 0) this.#tags.delete(tag)
    }
    if (tags.length === 0) {
      this.#byKey.delete(key)
      return
    }
    const folded = new Set<string>()
    for (const name of tags.flatMap(withParents)) {
      const tag = foldName(name)
      if (folded.has(tag)) continue
      folded.add(tag)
      const entry = this.#tags.get(tag)
      if (entry === undefined) this.#tags.set(tag, { name, keys: new Set([key]) })
      else entry.keys.add(key)
    }
    this.#byKey.set(key, [...folded])
  }

  /** Files with this tag or one nested in it; `#` in front is ignored. */
  keys(tag: string): ReadonlySet<number> {
    return this.#tags.get(foldTag(tag))?.keys ?? NOBODY
  }

  /** Every tag and every parent of one, in no order. */
  *entries(): IterableIterator<TagEntry & { readonly folded: string }> {
    for (const [folded, entry] of this.#tags) yield { folded, ...entry }
  }
}

const NOBODY: ReadonlySet<number> = new Set()

/** A tag as it is compared: folded, without `#` in front and `/` at the end. */
export function foldTag(tag: string): string {
  return foldName(tag.trim().replace(/^#/, '').replace(/\/+$/, ''))
}

function withParents(tag: string): string[] {
  const segments = tag.split('/')
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}
