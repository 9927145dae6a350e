import type { Comparison, TaskState } from '../../../core/query.ts'
import type { PropertyCount, ValueCount, ValueKind } from '../../../core/store.ts'
import { compareTexts } from '../../../core/text/compare-texts.ts'
import { foldName } from '../../../core/text/fold.ts'
import type { NodeIndex } from '../../../graph/graph.ts'
import { compares } from '../../../search/query/compare-values.ts'
import { factsOf, NO_TASKS, type NoteFacts, type PropertyFacts } from '../../note-facts.ts'
import type { Projection } from '../projection.ts'

/** Milliseconds of reading between yields to the event loop. */
const SLICE_MS = 8

abstract class NoteTable {
  readonly projection: Projection
  /** The keys to read. `undefined` stands for all keys. */
  #stale: Set<number> | undefined

  constructor(projection: Projection) {
    this.projection = projection
  }

  changed(keys: Iterable<number>): void {
    if (this.#stale !== undefined) for (const key of keys) this.#stale.add(key)
  }

  clear(): void {
    this.#stale = undefined
    this.forget()
  }

  /** Reads changed notes in short slices, including notes that change meanwhile. */
  async flush(): Promise<void> {
    for (;;) {
      this.#stale ??= new Set(this.projection.graph.order())
      const keys = this.#stale
      const started = performance.now()
      for (const key of keys) {
        this.read(key)
        keys.delete(key)
        if (performance.now() - started > SLICE_MS) break
      }
      if (this.#stale?.size === 0) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  protected abstract read(key: number): void
  protected abstract forget(): void
}

export class Facets extends NoteTable {
  readonly #facts = new Map<number, NoteFacts>()

  protected forget(): void {
    this.#facts.clear()
  }

  protected read(key: number): void {
    const { graph } = this.projection
    const kind = graph.row(key)?.kind
    if (kind === undefined || kind === 'attachment') {
      this.#facts.delete(key)
      return
    }
    const { properties = {}, tasks = [] } = this.projection.info(key) ?? {}
    this.#facts.set(key, factsOf({ properties, tasks, stat: this.projection.stat(key) }))
  }

  /** Milliseconds since the Unix epoch, or NaN. */
  time(key: number, field: 'created' | 'modified'): number {
    return this.#facts.get(key)?.[field] ?? Number.NaN
  }

  hasProperties(key: number): boolean {
    return (this.#facts.get(key)?.properties.size ?? 0) > 0
  }

  /** Returns one value per list item, with an empty string for no value. `name` is folded. */
  propertyTexts(key: number, name: string): readonly string[] {
    return this.#facts.get(key)?.properties.get(name)?.values ?? []
  }

  /** Returns true if the note has the property. `name` and `value` are folded. */
  hasProperty(key: number, name: string, value: string | undefined): boolean {
    const property = this.#facts.get(key)?.properties.get(name)
    return property !== undefined && (value === undefined || property.asked.includes(value))
  }

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

  properties(): readonly PropertyCount[] {
    const byName = new Map<string, { readonly names: Counts; readonly kinds: Counts<ValueKind> }>()
    for (const [folded, { name, kind }] of this.#listedProperties()) {
      const counts = byName.get(folded) ?? { names: new Counts(), kinds: new Counts() }
      counts.names.add(name)
      counts.kinds.add(kind)
      byName.set(folded, counts)
    }
    const properties = [...byName.values()].map(({ names, kinds }) => ({
      key: names.most() ?? '',
      count: names.total,
      kinds: kinds.ranked(),
    }))
    return properties.sort((a, b) => b.count - a.count || compareTexts(a.key, b.key))
  }

  values(name: string): readonly ValueCount[] {
    const byValue = new Map<string, Counts>()
    for (const key of this.#listedKeys()) {
      const property = this.#facts.get(key)?.properties.get(name)
      for (const at of new Map(property?.texts.map((text, index) => [text, index])).values()) {
        const text = property?.texts[at] ?? ''
        const counts = byValue.get(text) ?? new Counts()
        counts.add(property?.values[at] ?? '')
        byValue.set(text, counts)
      }
    }
    const values = [...byValue.values()].map((counts) => ({ value: counts.most() ?? '', count: counts.total }))
    return values.sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
  }

  *#listedProperties(): IterableIterator<readonly [folded: string, property: PropertyFacts]> {
    for (const key of this.#listedKeys()) yield* this.#facts.get(key)?.properties ?? []
  }

  *#listedKeys(): IterableIterator<number> {
    const { graph } = this.projection
    for (const key of this.#facts.keys()) if (graph.isListedNote(key)) yield key
  }
}

class Counts<T extends string = string> {
  readonly #counts = new Map<T, number>()
  total = 0

  add(text: T): void {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
    this.total++
  }

  ranked(): readonly T[] {
    return [...this.#counts].sort(([a, more], [b, less]) => less - more || compareTexts(a, b)).map(([text]) => text)
  }

  most(): T | undefined {
    return this.#counts.size === 1 ? this.#counts.keys().next().value : this.ranked()[0]
  }
}

export class Relations extends NoteTable {
  /** The values by folded property name, then by key of the note. */
  readonly #byName = new Map<string, Map<number, readonly (number | string)[]>>()
  readonly #ofKey = new Map<number, readonly string[]>()

  protected forget(): void {
    this.#byName.clear()
    this.#ofKey.clear()
  }

  of(name: string): Iterable<readonly [key: number, targets: readonly NodeIndex[]]> {
    const { graph } = this.projection
    const valuesByKey = this.#byName.get(foldName(name)) ?? new Map<number, readonly (number | string)[]>()
    return [...valuesByKey].map(([key, targets]) => [
      key,
      targets.flatMap((target) => (typeof target === 'number' ? target : (graph.findMissing(target) ?? []))),
    ])
  }

  protected read(key: number): void {
    for (const name of this.#ofKey.get(key) ?? []) this.#byName.get(name)?.delete(key)
    const targets = new Map<string, (number | string)[]>()
    if (this.projection.graph.row(key) !== undefined) {
      for (const link of this.projection.links(key)) {
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
