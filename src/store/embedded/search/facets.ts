import type { Comparison, TaskState } from '../../../core/query.ts'
import type { PropertyCount, ValueCount, ValueKind } from '../../../core/store.ts'
import { foldName } from '../../../core/text/fold.ts'
import type { NodeIndex } from '../../../graph/graph.ts'
import { compares } from '../../../search/query/compare-values.ts'
import { factsOf, NO_TASKS, type NoteFacts, type PropertyFacts } from '../../note-facts.ts'
import type { Projection } from '../projection.ts'

/** How long is read before others have their turn, ms. */
const SLICE_MS = 8

/** Times, properties and tasks of every note; read when first asked for, kept up from then on. */
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
    const { properties = {}, tasks = [] } = this.#projection.info(key) ?? {}
    this.#facts.set(key, factsOf({ properties, tasks, stat: this.#projection.stat(key) }))
  }

  /** Milliseconds since the epoch; NaN where a note says no time. */
  time(key: number, field: 'created' | 'modified'): number {
    return this.#facts.get(key)?.[field] ?? Number.NaN
  }

  hasProperties(key: number): boolean {
    return (this.#facts.get(key)?.properties.size ?? 0) > 0
  }

  /** True if a note has the property, or this value of it; both folded. */
  hasProperty(key: number, name: string, value: string | undefined): boolean {
    const property = this.#facts.get(key)?.properties.get(name)
    return property !== undefined && (value === undefined || property.asked.includes(value))
  }

  /** True if a value of the property (folded name) meets the comparison. */
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

  *#listed(): IterableIterator<readonly [folded: string, property: PropertyFacts]> {
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

/** Keys whose facts are to be read again: at first all, then those that changed. */
class StaleKeys {
  #keys: Set<number> | undefined

  /** Before anything was read all are stale anyway. */
  add(keys: Iterable<number>): void {
    if (this.#keys !== undefined) for (const key of keys) this.#keys.add(key)
  }

  /** All are stale again. */
  reset(): void {
    this.#keys = undefined
  }

  /** Reads what is stale, a few milliseconds at a time; what becomes stale meanwhile, too. */
  async flush(all: () => Iterable<number>, read: (key: number) => void): Promise<void> {
    for (;;) {
      this.#keys ??= new Set(all())
      const keys = this.#keys
      const started = performance.now()
      for (const key of keys) {
        read(key)
        keys.delete(key)
        if (performance.now() - started > SLICE_MS) break
      }
      if (this.#keys?.size === 0) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
