import { foldId, type NodeId, toNodeId, type VaultPath } from '../core/ids.ts'

/**
 * The ids of files. An id is the folded path of a file. If several files share a folded path (twins), only one of them has it as
 * id; the others keep their exact paths.
 */
export class FileIds {
  readonly #vault: string | undefined
  readonly #paths: (VaultPath | undefined)[] = []
  readonly #folds: string[] = []
  readonly #ids: (NodeId | undefined)[] = []
  readonly #byFold = new Map<string, number | readonly number[]>()
  readonly #sameIdKeys = new Set<number>()
  readonly #order = new KeyOrder((key) => this.#ids[key])

  constructor(vault?: string) {
    this.#vault = vault
  }

  add(key: number, path: VaultPath): void {
    while (this.#paths.length <= key) {
      this.#paths.push(undefined)
      this.#folds.push('')
      this.#ids.push(undefined)
    }
    const folded = foldId(path)
    this.#paths[key] = path
    this.#folds[key] = folded
    const others = this.#byFold.get(folded)
    if (others !== undefined) {
      this.#regroup(folded, [...(typeof others === 'number' ? [others] : others), key])
      return
    }
    this.#byFold.set(folded, key)
    this.#setId(key, toNodeId(folded, this.#vault))
  }

  remove(key: number): void {
    if (this.#paths[key] === undefined) return
    const folded = this.folded(key)
    const group = this.#byFold.get(folded)
    this.#paths[key] = undefined
    this.#folds[key] = ''
    this.#sameIdKeys.delete(key)
    this.#setId(key, undefined)
    if (typeof group === 'object') {
      this.#regroup(
        folded,
        group.filter((other) => other !== key),
      )
    } else {
      this.#byFold.delete(folded)
    }
  }

  #setId(key: number, id: NodeId | undefined): void {
    this.#ids[key] = id
    this.#order.move(key)
  }

  /** Gives the folded id to the twin whose path equals it, or else to the first in code-point order. */
  #regroup(folded: string, keys: readonly number[]): void {
    const sorted = [...keys].sort((a, b) => (this.#pathOf(a) < this.#pathOf(b) ? -1 : 1))
    const plain = sorted.find((key) => this.#pathOf(key) === folded) ?? sorted[0]
    if (plain === undefined) return
    const others = sorted.filter((key) => key !== plain)
    this.#setId(plain, toNodeId(folded, this.#vault))
    for (const key of others) this.#setId(key, toNodeId(this.#pathOf(key), this.#vault))
    this.#byFold.set(folded, others.length === 0 ? plain : [plain, ...others])
    for (const key of sorted) {
      if (others.length === 0) this.#sameIdKeys.delete(key)
      else this.#sameIdKeys.add(key)
    }
  }

  #pathOf(key: number): string {
    return this.#paths[key] ?? ''
  }

  id(key: number): NodeId | undefined {
    return this.#ids[key]
  }

  path(key: number): VaultPath | undefined {
    return this.#paths[key]
  }

  folded(key: number): string {
    return this.#folds[key] ?? ''
  }

  /** Finds a file by path. An exact match takes precedence over a folded one. */
  find(path: string): number | undefined {
    const group = this.#byFold.get(foldId(path))
    if (group === undefined || typeof group === 'number') return group
    return group.find((key) => this.#paths[key] === path) ?? group[0]
  }

  /** Returns the other files with the same folded path, by precedence. */
  twins(key: number): readonly number[] {
    const group = this.#sameIdKeys.has(key) ? this.#byFold.get(this.folded(key)) : undefined
    return typeof group === 'object' ? group.filter((other) => other !== key) : []
  }

  hasTwins(key: number): boolean {
    return this.#sameIdKeys.has(key)
  }

  /** Returns a snapshot of the keys, sorted by id. */
  order(): readonly number[] {
    return this.#order.list()
  }
}

/** If a larger share of the keys has moved, a full sort is as fast as merging. */
const FULL_SORT_SHARE = 1 / 4

/** A list of keys sorted by text. Moves are merged on the next use, in linear time. */
export class KeyOrder {
  readonly #textOf: (key: number) => string | undefined
  readonly #movedKeys = new Set<number>()
  #keys: readonly number[] = []

  /** @param textOf returns the text to sort by, or `undefined` if the key does not belong in the list */
  constructor(textOf: (key: number) => string | undefined) {
    this.#textOf = textOf
  }

  /** Reports that a key is added or removed, or that its text changes. */
  move(key: number): void {
    this.#movedKeys.add(key)
  }

  /** Returns a snapshot of the list. */
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
