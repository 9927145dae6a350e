/** If a larger share of keys has moved, sort the whole list again, because merging would save nothing. */
const FULL_SORT_SHARE = 1 / 4

/** Keys sorted by text. Updated lazily: all changes since the last use are merged in one linear pass. */
export class KeyOrder {
  readonly #textOf: (key: number) => string | undefined
  readonly #moved = new Set<number>()
  #keys: readonly number[] = []

  /** @param textOf returns the text to sort by, or `undefined` if a key is not in the list */
  constructor(textOf: (key: number) => string | undefined) {
    this.#textOf = textOf
  }

  /** Must be called if a key's text has changed, or the key was added or removed. */
  move(key: number): void {
    this.#moved.add(key)
  }

  /** Returns the sorted list. Later moves do not modify it. */
  list(): readonly number[] {
    if (this.#moved.size === 0) return this.#keys
    const moved = this.#sorted(this.#moved)
    const kept = this.#keys.filter((key) => !this.#moved.has(key))
    this.#keys = moved.length > kept.length * FULL_SORT_SHARE ? this.#sorted([...kept, ...moved]) : this.#merge(kept, moved)
    this.#moved.clear()
    return this.#keys
  }

  #sorted(keys: Iterable<number>): number[] {
    const entries: { readonly key: number; readonly text: string }[] = []
    for (const key of keys) {
      const text = this.#textOf(key)
      if (text !== undefined) entries.push({ key, text })
    }
    return entries.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text))).map(({ key }) => key)
  }

  #merge(kept: readonly number[], moved: readonly number[]): readonly number[] {
    const merged: number[] = []
    let from = 0
    for (const key of moved) {
      const to = this.#placeOf(this.#textOf(key) ?? '', kept, from)
      while (from < to) merged.push(kept[from++] as number)
      merged.push(key)
    }
    while (from < kept.length) merged.push(kept[from++] as number)
    return merged
  }

  #placeOf(text: string, keys: readonly number[], from: number): number {
    let low = from
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#textOf(keys[middle] as number) ?? '') < text) low = middle + 1
      else high = middle
    }
    return low
  }
}
