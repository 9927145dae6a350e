import type { PropertyCount, Snapshot, ValueKind } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { nearest } from '../../core/text/nearest.ts'
import { includesValue } from '../../search/query/compare-values.ts'
import { propertiesIn, type Query, tagsIn, valuesIn } from '../../search/query/query.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { tagWarnings } from '../answer/scope-warnings.ts'
import { quoted } from '../answer/truncate.ts'
import type { Warning } from '../graph-core.ts'
import { unknownProperty } from '../read/tags-and-properties.ts'
import type { FoundByQuery } from './find-by-query.ts'

const MAX_WARNED = 5
const MAX_SIMILAR = 3

interface QueryFacts extends Pick<FoundByQuery, 'emptySets' | 'folderWarnings'> {
  readonly text: string
  readonly isEmpty: boolean
  readonly call: Call
}

/**
 * Returns warnings about unknown folders, tags and properties, and about empty sets. If nothing was found, unknown values are
 * reported, too.
 */
export async function queryWarnings(
  snapshot: Snapshot,
  query: Query,
  { text, emptySets, folderWarnings, isEmpty, call }: QueryFacts,
): Promise<readonly Warning[]> {
  const requested = [...propertiesIn(query)]
  const tags = tagsIn(query)
  const [noTags, noValues] = await Promise.all([tagWarnings(snapshot, tags, call), isEmpty ? valueWarnings(snapshot, query) : []])
  const mayMeanProperty = noTags.length > 0 || (isEmpty && tags.length > 0)
  const properties = requested.length === 0 && !mayMeanProperty ? [] : await snapshot.properties()
  const existing = new Map(properties.map((property) => [foldName(property.key), property]))
  const names = properties.map(({ key }) => key)
  const propertyWarnings = requested.slice(0, MAX_WARNED).flatMap(([name, isCompared]): readonly Warning[] => {
    const property = existing.get(foldName(name))
    if (property === undefined) return [unknownProperty(name, names)]
    return isEmpty && isCompared && !property.kinds.some((kind) => COMPARED.includes(kind)) ? [notCompared(property)] : []
  })
  const propertyTags = mayMeanProperty ? tags.filter((tag) => existing.has(foldName(tag))).map(propertyHint) : []
  const sets = emptySets.map(({ part: { span } }) => emptySet(text.slice(span.start, span.end)))
  return [...folderWarnings, ...noTags, ...propertyTags, ...sets, ...propertyWarnings, ...noValues]
}

function emptySet(set: string): Warning {
  return { code: 'NOTICE', message: `No note matches the set ${set}, so no note links to it or is linked from it.` }
}

function propertyHint(tag: string): Warning {
  return {
    code: 'NOTICE',
    message: `${quoted(tag)} is a property: #${tag}= finds notes that have it, and #${tag}=value finds notes with that value.`,
  }
}

async function valueWarnings(snapshot: Snapshot, query: Query): Promise<readonly Warning[]> {
  const warnings = valuesIn(query)
    .slice(0, MAX_WARNED)
    .map(async ({ name, value }): Promise<readonly Warning[]> => {
      const values = (await snapshot.propertyValues(foldName(name))).map((valueCount) => valueCount.value)
      if (values.length === 0 || includesValue(values, value)) return []
      const near = nearest(value, values, MAX_SIMILAR).map(quoted)
      const nearby =
        near.length > 0 ? `Nearest: ${near.join(', ')}.` : `find_nodes with group_by ${quoted(name)} lists its values.`
      return [
        { code: 'UNKNOWN_ID', message: `No note has the value ${quoted(value)} in the property ${quoted(name)}. ${nearby}` },
      ]
    })
  return (await Promise.all(warnings)).flat()
}

const COMPARED: readonly ValueKind[] = ['number', 'date', 'list']

function notCompared({ key, kinds }: PropertyCount): Warning {
  const kindNames = kinds.join(', ')
  const message = `The property ${quoted(key)} has no numbers or dates to compare (${kindNames}). Write #${key}=value; find_nodes with group_by ${quoted(key)} lists its values.`
  return { code: 'NOTICE', message }
}
