import type { Page, PropertyCount, Snapshot, TagCount, ValueCount } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { nearest } from '../../core/text/nearest.ts'
import { answer, type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { quoted, truncate } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'

export interface ListTagsArguments extends Partial<PageArguments> {
  readonly prefix?: string | undefined
}

export function listTags(core: GraphCore, args: ListTagsArguments, call: Call = {}): Promise<Answer<readonly TagCount[]>> {
  const { prefix = '', limit = Number.MAX_SAFE_INTEGER, offset } = args
  return answer(core, call, async (snapshot) => {
    const tags = await snapshot.tags(foldName(prefix.trim().replace(/^#/, '')))
    const page = pageFor({ limit, offset }, call)
    const shownTags = tags.slice(page.offset, page.offset + page.limit)
    const list = listResult(shownTags, { offset: page.offset, shown: shownTags.length, total: tags.length })
    return tags.length > 0 ? list : { ...list, warnings: await scopeWarnings(snapshot, {}) }
  })
}

export interface PropertiesArguments extends PageArguments {
  /** The property whose values are listed. If omitted, all properties are listed. */
  readonly key?: string | undefined
  readonly prefix?: string | undefined
}

export type PropertyList = PropertyPage | ValuePage

export interface PropertyPage {
  readonly properties: readonly PropertyCount[]
  /** The total number, regardless of `limit` and `offset`. */
  readonly total: number
}

export interface ValuePage {
  readonly values: readonly ValueCount[]
  readonly total: number
}

/** Returns properties sorted by number of notes, then by name. */
export function listProperties(core: GraphCore, args: PropertiesArguments, call: Call = {}): Promise<Answer<PropertyList>> {
  return answer<PropertyList>(core, call, async (snapshot) => {
    const page = pageFor(args, call)
    const request = { ...page, prefix: foldName((args.prefix ?? '').trim()) }
    if (args.key !== undefined) return await valuesOf(snapshot, args.key.trim().replace(/^#/, ''), request)
    const { shown, total } = pageOf(await snapshot.properties(), (property) => property.key, request)
    const list = listResult({ properties: shown, total }, { offset: page.offset, shown: shown.length, total })
    return total > 0 ? list : { ...list, warnings: await scopeWarnings(snapshot, {}) }
  })
}

interface ValueRequest extends Page {
  readonly prefix: string
}

const MAX_VALUE_LENGTH = 100

async function valuesOf(snapshot: Snapshot, key: string, request: ValueRequest): Promise<Answer<ValuePage>> {
  const all = await snapshot.propertyValues(foldName(key))
  const { shown, total } = pageOf(all, ({ value }) => value, request)
  const values = shown.map(({ value, count }) => ({ value: truncate(value, MAX_VALUE_LENGTH).text, count }))
  const list = listResult({ values, total }, { offset: request.offset, shown: shown.length, total })
  return all.length > 0 ? list : { ...list, warnings: await unknownWarnings(snapshot, key) }
}

async function unknownWarnings(snapshot: Snapshot, key: string): Promise<readonly Warning[]> {
  const properties = await snapshot.properties()
  const match = properties.find((property) => foldName(property.key) === foldName(key))
  if (match === undefined)
    return [
      unknownProperty(
        key,
        properties.map((property) => property.key),
      ),
    ]
  const name = /[\s"=<>()]/.test(match.key) ? quoted(match.key) : match.key
  const message = `The property ${quoted(match.key)} has no values to list (${match.kinds.join(', ')}): find_nodes with #${name}= finds the notes that have it.`
  return [{ code: 'NOTICE', message }]
}

function pageOf<T>(items: readonly T[], textOf: (item: T) => string, { prefix, offset, limit }: ValueRequest) {
  const matching = prefix === '' ? items : items.filter((item) => foldName(textOf(item)).startsWith(prefix))
  return { shown: matching.slice(offset, offset + limit), total: matching.length }
}

const MAX_SIMILAR = 3

export function unknownProperty(name: string, names: readonly string[]): Warning {
  const near = nearest(name, names, MAX_SIMILAR).map(quoted)
  const nearby = near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''
  return {
    code: 'UNKNOWN_ID',
    message: `No note has the property ${quoted(name)}.${nearby || ' list_properties lists the existing ones.'}`,
  }
}
