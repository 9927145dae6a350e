import { foldName } from '../../../core/fold.ts'
import { absolutePeriod } from '../../../search/query/period.ts'
import type { Projection } from '../projection.ts'
import { timesOf } from '../times.ts'
import { StaleKeys } from './stale-keys.ts'

/** What the properties of a note say, as queries ask for it. */
interface NoteFacts {
  readonly created: number
  readonly modified: number
  /** Folded names of the properties, with the folded texts of their values. */
  readonly properties: ReadonlyMap<string, readonly string[]>
}

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
    const info = this.#projection.info(key)
    const { created, modified } = timesOf(this.#projection, key, info)
    const properties = new Map<string, readonly string[]>()
    for (const [name, value] of Object.entries(info?.properties ?? {})) properties.set(foldName(name), textsOf(value))
    this.#facts.set(key, { created: toTime(created), modified: toTime(modified), properties })
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

/** Values as they are compared: each item of a list, an empty text for nothing. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.flatMap(textsOf)
  if (value === null || value === undefined) return ['']
  if (typeof value === 'object') return []
  return [foldName(String(value).trim())]
}

/** As a query reads it: a year, month or day without a zone is of this machine's, as people write them. Other ways to write a date as `Date` knows them. */
function toTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN
  const iso = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  return absolutePeriod(iso)?.from ?? Date.parse(iso)
}
