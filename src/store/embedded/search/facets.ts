import { factsOf, type NoteFacts } from '../../note-facts.ts'
import type { Projection } from '../projection.ts'
import { StaleKeys } from './stale-keys.ts'

/** Times and properties of every note; read when first asked for, kept up from then on. */
export class Facets {
  readonly #projection: Projection
  readonly #facts = new Map<number, NoteFacts>()
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
    this.#facts.clear()
    this.#stale.reset()
  }

  /** Reads what is to be read, a few milliseconds at a time. */
  async flush(): Promise<void> {
    await this.#stale.flush(
      () => this.#projection.graph.order(),
      (key) => this.#read(key),
    )
  }

  #read(key: number): void {
    const { graph } = this.#projection
    const kind = graph.row(key)?.kind
    if (kind === undefined || kind === 'attachment') {
      this.#facts.delete(key)
      return
    }
    const { properties = {} } = this.#projection.info(key) ?? {}
    this.#facts.set(key, factsOf({ properties, stat: this.#projection.stat(key) }))
  }

  /** Milliseconds since the epoch; NaN where a note says no time. */
  time(key: number, field: 'created' | 'modified'): number {
    return this.#facts.get(key)?.[field] ?? Number.NaN
  }

  hasProperties(key: number): boolean {
    return (this.#facts.get(key)?.properties.size ?? 0) > 0
  }

  /** Whether a note has the property, or with this value; both folded. */
  hasProperty(key: number, name: string, value: string | undefined): boolean {
    const values = this.#facts.get(key)?.properties.get(name)
    return values !== undefined && (value === undefined || values.includes(value))
  }
}
