import { foldName } from '../../../core/fold.ts'
import type { Task } from '../../../core/note.ts'
import type { Comparison, TaskState } from '../../../core/query.ts'
import type { PropertyCount, ValueCount, ValueKind } from '../../../core/store.ts'
import { compares, readDate } from '../../../search/query/compare.ts'
import { absolutePeriod } from '../../../search/query/period.ts'
import type { Projection } from '../projection.ts'
import { timesOf } from '../times.ts'
import { StaleKeys } from './stale-keys.ts'

/** What the properties of a note say, as queries ask for it. */
interface NoteFacts {
  readonly created: number
  readonly modified: number
  /** By folded name. */
  readonly properties: ReadonlyMap<string, Property>
  readonly tasks: ReadonlySet<Task['state']>
}

interface Property {
  /** As spelled. */
  readonly name: string
  readonly kind: ValueKind
  /** The values, each item of a list by itself, an empty text for nothing. */
  readonly values: readonly string[]
  /** The same, folded. */
  readonly texts: readonly string[]
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
    const properties = new Map<string, Property>()
    for (const [name, value] of Object.entries(info?.properties ?? {})) properties.set(foldName(name), propertyOf(name, value))
    const states = new Set(info?.tasks.map(({ state }) => state))
    const tasks = states.size === 0 ? NO_TASKS : states
    this.#facts.set(key, { created: toTime(created), modified: toTime(modified), properties, tasks })
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
    const property = this.#facts.get(key)?.properties.get(name)
    return property !== undefined && (value === undefined || property.texts.includes(value))
  }

  /** Whether a value of the property, whose name is folded, compares so. */
  comparesProperty(key: number, name: string, comparison: Comparison): boolean {
    return (
      this.#facts
        .get(key)
        ?.properties.get(name)
        ?.values.some((value) => compares(value, comparison)) === true
    )
  }

  hasTask(key: number, state: TaskState): boolean {
    const tasks = this.#facts.get(key)?.tasks ?? NO_TASKS
    return state === 'any' ? tasks.size > 0 : tasks.has(state)
  }

  /** The properties of listed notes, by count, then name. */
  properties(): readonly PropertyCount[] {
    const found = new Map<string, { readonly names: Counts; readonly kinds: Counts<ValueKind> }>()
    for (const [folded, { name, kind }] of this.#listed()) {
      const counts = found.get(folded) ?? { names: new Counts(), kinds: new Counts() }
      counts.names.add(name)
      counts.kinds.add(kind)
      found.set(folded, counts)
    }
    const counted = [...found.values()].map(({ names, kinds }) => ({
      key: names.most() ?? '',
      count: names.total,
      kinds: kinds.ranked(),
    }))
    return counted.sort((a, b) => b.count - a.count || compareTexts(a.key, b.key))
  }

  /** The values of a property in listed notes, by count, then text. */
  values(name: string): readonly ValueCount[] {
    const found = new Map<string, Counts>()
    for (const key of this.#listedKeys()) {
      const property = this.#facts.get(key)?.properties.get(name)
      for (const at of new Map(property?.texts.map((text, index) => [text, index])).values()) {
        const text = property?.texts[at] ?? ''
        const counts = found.get(text) ?? new Counts()
        counts.add(property?.values[at] ?? '')
        found.set(text, counts)
      }
    }
    const counted = [...found.values()].map((counts) => ({ value: counts.most() ?? '', count: counts.total }))
    return counted.sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
  }

  *#listed(): IterableIterator<readonly [folded: string, property: Property]> {
    for (const key of this.#listedKeys()) yield* this.#facts.get(key)?.properties ?? []
  }

  *#listedKeys(): IterableIterator<number> {
    const { graph } = this.#projection
    for (const key of this.#facts.keys()) if (graph.isListedNote(key)) yield key
  }
}

/** How often each of some texts was met. */
class Counts<T extends string = string> {
  readonly #counts = new Map<T, number>()
  total = 0

  add(text: T): void {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
    this.total++
  }

  /** The most frequent first, then by text. */
  ranked(): readonly T[] {
    return [...this.#counts].sort(([a, more], [b, less]) => less - more || compareTexts(a, b)).map(([text]) => text)
  }

  most(): T | undefined {
    return this.#counts.size === 1 ? this.#counts.keys().next().value : this.ranked()[0]
  }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

const NO_TASKS: ReadonlySet<Task['state']> = new Set()

function propertyOf(name: string, value: unknown): Property {
  const values = textsOf(value)
  const texts = values.map(foldName)
  // Most values are lower-case already, and one list is enough.
  return { name, kind: kindOf(value), values, texts: texts.every((text, at) => text === values[at]) ? values : texts }
}

function kindOf(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'list'
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'checkbox'
  // A year alone is a number, or a text.
  return /^\d{4}-|^\[\[/.test(String(value)) && readDate(String(value)) !== undefined ? 'date' : 'text'
}

/** Values as texts: each item of a list, an empty text for nothing. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.flatMap(textsOf)
  if (value === null || value === undefined) return ['']
  if (typeof value === 'object') return []
  return [String(value).trim()]
}

/** As a query reads it: a year, month or day without a zone is of this machine's, as people write them. Other ways to write a date as `Date` knows them. */
function toTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN
  const iso = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  return absolutePeriod(iso)?.from ?? Date.parse(iso)
}
