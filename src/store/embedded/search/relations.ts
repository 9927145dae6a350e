import { foldName } from '../../../core/text/fold.ts'
import type { NodeIndex } from '../../../graph/graph.ts'
import type { Projection } from '../projection.ts'
import { StaleKeys } from './stale-keys.ts'

/** Typed links of every note: which properties of it link where. Read when first asked for, kept up from then on. */
export class Relations {
  readonly #projection: Projection
  /** Folded name of the property, then the note that has it. */
  readonly #byName = new Map<string, Map<number, readonly (number | string)[]>>()
  readonly #ofKey = new Map<number, readonly string[]>()
  readonly #stale = new StaleKeys()

  constructor(projection: Projection) {
    this.#projection = projection
  }

  /** The files behind these keys changed. */
  changed(keys: Iterable<number>): void {
    this.#stale.add(keys)
  }

  /** Forgets everything. */
  clear(): void {
    this.#byName.clear()
    this.#ofKey.clear()
    this.#stale.reset()
  }

  /** Reads what is to be read, a few milliseconds at a time. */
  async flush(): Promise<void> {
    await this.#stale.flush(
      () => this.#projection.graph.order(),
      (key) => this.#read(key),
    )
  }

  /** Notes with a link in this property, and where it leads: keys, or missing targets as written. */
  of(name: string): Iterable<readonly [key: number, targets: readonly NodeIndex[]]> {
    const { graph } = this.#projection
    const found = this.#byName.get(foldName(name)) ?? new Map<number, readonly (number | string)[]>()
    return [...found].map(([key, targets]) => [
      key,
      targets.flatMap((target) => (typeof target === 'number' ? target : (graph.findMissing(target) ?? []))),
    ])
  }

  #read(key: number): void {
    for (const name of this.#ofKey.get(key) ?? []) this.#byName.get(name)?.delete(key)
    const targets = new Map<string, (number | string)[]>()
    if (this.#projection.graph.row(key) !== undefined) {
      for (const link of this.#projection.links(key)) {
        if (link.property === undefined) continue
        const name = foldName(link.property)
        targets.set(name, [...(targets.get(name) ?? []), link.to])
      }
    }
    if (targets.size === 0) this.#ofKey.delete(key)
    else this.#ofKey.set(key, [...targets.keys()])
    for (const [name, to] of targets) {
      const notes = this.#byName.get(name) ?? new Map<number, readonly (number | string)[]>()
      notes.set(key, to)
      this.#byName.set(name, notes)
    }
  }
}
