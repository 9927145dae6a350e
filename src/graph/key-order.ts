/** If more than this share of the keys has moved, sort them all again, because merging would be no faster. */
const FULL_SORT_SHARE = 1 / 4

/** Keys sorted by text. Sorting is lazy: all moves since the last use are merged in one linear pass. */
export class KeyOrder {
  readonly #textOf: (key: number) => string | undefined
  readonly #movedKeys = new Set<number>()
  #keys: readonly number[] = []

  /** @param textOf returns the text to sort by, or `undefined` if the key does not belong in the list */
  constructor(textOf: (key: number) => string | undefined) {
    this.#textOf = textOf
  }

  /** Call this when a key's text changes, and when a key is added or removed. */
  move(key: number): void {
    this.#movedKeys.add(key)
  }

  /** Returns the sorted list. Later moves do not modify it. */
  list(): readonly number[] {
    if (this.#movedKeys.size === 0) return this.#keys
    const movedKeys = this.#sorted(this.#movedKeys)
    const unmovedKeys = this.#keys.filter((key) => !this.#movedKeys.has(key))
    this.#keys =
      movedKeys.length > unmovedKeys.length * FULL_SORT_SHARE
        ? this.#sorted([...unmovedKeys, ...movedKeys])
        : this.#merge(unmovedKeys, movedKeys)
    this.#movedKeys.clear()
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

  #merge(unmovedKeys: readonly number[], movedKeys: readonly number[]): readonly number[] {
    const merged: number[] = []
    let from = 0
    for (const key of movedKeys) {
      const to = this.#placeOf(this.#textOf(key) ?? '', unmovedKeys, from)
      while (from < to) merged.push(unmovedKeys[from++] as number)
      merged.push(key)
    }
    while (from < unmovedKeys.length) merged.push(unmovedKeys[from++] as number)
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
