import { foldName } from '../core/fold.ts'
import type { Paged, PropertyCount, Snapshot, ValueCount } from '../core/store.ts'
import { answer, type Call, plain } from './answer.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { unknownProperty } from './query-warnings.ts'
import { truncate } from './truncate.ts'

export interface PropertiesArguments {
  /** Its values instead of the keys. */
  readonly key?: string | undefined
  /** Only keys, or values, that begin so. */
  readonly prefix?: string | undefined
  readonly limit: number
  readonly offset: number
}

export type PropertyList = PropertyPage | ValuePage

export interface PropertyPage {
  readonly properties: readonly PropertyCount[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
}

/** Of one property. */
export interface ValuePage {
  readonly values: readonly ValueCount[]
  readonly total: number
}

/** The properties that notes have, or the values of one, by count, then name. */
export function listProperties(core: GraphCore, args: PropertiesArguments, call: Call = {}): Promise<Answer<PropertyList>> {
  return answer<PropertyList>(core, call, async (snapshot) => {
    const { key } = args
    if (key !== undefined) return await valuesOf(snapshot, key, args)
    const { items, total } = pageOf(await snapshot.properties(), (property) => property.key, args)
    return plain({ properties: items, total })
  })
}

/** Longer values are texts, and their beginnings tell them apart. */
const VALUE_LENGTH = 100

async function valuesOf(snapshot: Snapshot, key: string, args: PropertiesArguments): Promise<Answer<ValuePage>> {
  const name = key.trim().replace(/^#/, '')
  const all = await snapshot.propertyValues(foldName(name))
  const { items, total } = pageOf(all, ({ value }) => value, args)
  const values = items.map(({ value, count }) => ({ value: truncate(value, VALUE_LENGTH).text, count }))
  const known = all.length > 0 ? [] : await snapshot.properties()
  const isKnown = all.length > 0 || known.some((property) => foldName(property.key) === foldName(name))
  const names = known.map((property) => property.key)
  return { value: { values, total }, warnings: isKnown ? [] : [unknownProperty(name, names)] }
}

function pageOf<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  { prefix = '', limit, offset }: PropertiesArguments,
): Paged<T> {
  const wanted = foldName(prefix.trim())
  const fitting = wanted === '' ? items : items.filter((item) => foldName(textOf(item)).startsWith(wanted))
  return { items: fitting.slice(offset, offset + limit), total: fitting.length }
}
