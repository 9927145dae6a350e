import { folderStart } from '../../core/paths.ts'
import type { Condition, Lookup } from '../../core/query.ts'
import { IN_SETS } from '../note-facts.ts'
import { fieldQuery, phrasePattern, phraseQuery } from './lucene.ts'
import { SEPARATOR } from './note-properties.ts'
import type { Values } from './server/connection.ts'

/** A condition in Cypher. `before` contains full-text lookups, and `text` a condition on a note `f`. */
export interface CypherCondition {
  /** The clauses. Each of them binds a list of notes. */
  readonly before: readonly string[]
  readonly text: string
  /** A list that contains every match, if there is one. */
  readonly within?: string
  readonly parameters: Values
}

interface ConditionContext {
  /** The name of the vault's full-text index. */
  readonly wordIndex: string
  readonly languages: readonly string[]
  /** Removes the vault's prefix from an id. */
  readonly bare: (id: string) => string
}

export function toCypher(condition: Condition, context: ConditionContext): CypherCondition {
  const parameters: Record<string, unknown> = {}
  const before: string[] = []
  const lists = new Map<Condition, string>()
  const parameter = (value: unknown): string => {
    const name = `c${Object.keys(parameters).length}`
    parameters[name] = value
    return `$${name}`
  }
  /** Adds a full-text lookup, and returns a condition on `f`. */
  const lookUp = (part: Lookup, query: string, condition = 'true'): string => {
    const list = `w${before.length}`
    lists.set(part, list)
    before.push(
      `CALL () { CALL db.index.fulltext.queryNodes(${parameter(context.wordIndex)}, ${parameter(query)}) YIELD node AS w
         MATCH (w)-[:ROUX_OF]->(n:RouxFile) WHERE n.path = w.path AND ${condition} RETURN collect(n) AS ${list} }`,
    )
    return `f IN ${list}`
  }
  const lookupToCypher = (lookup: Lookup): string => {
    switch (lookup.kind) {
      case 'word':
        return lookUp(lookup, fieldQuery(lookup.field, { ...lookup.word, languages: context.languages }))
      case 'phrase': {
        const { words } = lookup.phrase
        if (words.length === 0) return 'false'
        const pattern = parameter(phrasePattern(words))
        const inTitle = `w.titleForms =~ ${pattern}`
        const condition = lookup.field === 'title' ? inTitle : `(${inTitle} OR w.bodyForms =~ ${pattern})`
        return lookUp(lookup, phraseQuery(words), condition)
      }
      case 'nothing':
        return 'false'
      case 'tag':
        return `${parameter(lookup.name)} IN f.tagNames`
      case 'property':
        return lookup.value === undefined
          ? `${parameter(lookup.name)} IN f.propertyNames`
          : `${parameter(lookup.name + SEPARATOR + lookup.value)} IN f.propertyTexts`
      case 'comparison':
        return comparisonToCypher(lookup, parameter)
      case 'relation': {
        const link = `MATCH (f)-[l:ROUX_LINK]->(t) WHERE ${parameter(lookup.name)} IN l.types`
        const target = lookup.targets === undefined ? '' : ` AND t.id IN ${parameter(lookup.targets.map(context.bare))}`
        return `EXISTS { ${link}${target} }`
      }
      case 'links':
        return `EXISTS { MATCH (f)-[:ROUX_LINK]->(t) WHERE t <> f AND t.id IN ${parameter(lookup.nodes.map(context.bare))} }`
      case 'linkedfrom':
        return `EXISTS { MATCH (f)<-[:ROUX_LINK]-(s:RouxFile) WHERE s <> f AND s.id IN ${parameter(lookup.nodes.map(context.bare))} }`
      case 'among':
        return `f.id IN ${parameter(lookup.nodes.map(context.bare))}`
      case 'task':
        return lookup.state === 'any' ? 'size(f.tasks) > 0' : `${parameter(lookup.state)} IN f.tasks`
      case 'set':
        return inSet(lookup)
      case 'folder':
        return `f.folded STARTS WITH ${parameter(folderStart(lookup.folder))}`
      case 'path':
        return `f.folded CONTAINS ${parameter(lookup.text)}`
      case 'time':
        return `(f.${lookup.field} IS NOT NULL AND f.${lookup.field} >= ${parameter(lookup.from)} AND f.${lookup.field} < ${parameter(lookup.to)})`
      case 'has':
        return FEATURES[lookup.feature]
    }
  }
  /** Evaluates the set once, before checking any note. Returns a condition on `f`. */
  const inSet = (set: Extract<Lookup, { readonly kind: 'set' }>): string => {
    const text = partToCypher(set.condition)
    const list = `w${before.length}`
    lists.set(set, list)
    const link = set.field === 'links' ? '<-[:ROUX_LINK]-' : '-[:ROUX_LINK]->'
    before.push(
      `CALL (*) { MATCH (f:RouxFile {vault: $vault}) WHERE NOT f.excluded AND f.kind IN ${parameter(IN_SETS.kinds)} AND ${text}
         MATCH (f)${link}(n:RouxFile) WHERE n <> f RETURN collect(DISTINCT n) AS ${list} }`,
    )
    return `f IN ${list}`
  }
  const partToCypher = (part: Condition): string => {
    switch (part.kind) {
      case 'and':
        return `(${part.parts.map(partToCypher).join(' AND ')})`
      case 'or':
        return `(${part.parts.map(partToCypher).join(' OR ')})`
      case 'not':
        return `NOT coalesce(${partToCypher(part.part)}, false)`
      default:
        return `coalesce(${lookupToCypher(part)}, false)`
    }
  }
  const text = partToCypher(condition)
  const within = (part: Condition): string | undefined =>
    part.kind === 'and' ? part.parts.map(within).find((list) => list !== undefined) : lists.get(part)
  const list = within(condition)
  return { before, text, parameters, ...(list === undefined ? {} : { within: list }) }
}

const FEATURES: Readonly<Record<Extract<Lookup, { readonly kind: 'has' }>['feature'], string>> = {
  attachment: "EXISTS { MATCH (f)-[:ROUX_LINK]->(t:RouxFile) WHERE t.kind = 'attachment' }",
  link: 'f.outDegree > 0',
  backlink: 'f.inDegree > 0',
  tag: 'size(f.tags) > 0',
  alias: 'size(f.aliases) > 0',
  property: 'size(f.propertyNames) > 0',
}

/** Returns a comparison in Cypher. The result must match `compares` in `compare-values.ts`. */
function comparisonToCypher(lookup: Extract<Lookup, { readonly kind: 'comparison' }>, param: (value: unknown) => string): string {
  const { name, operator, number, period } = lookup
  const byNumber = number === undefined ? 'false' : `toFloat(part[1]) ${operator} ${param(number)}`
  const date = 'toFloat(part[2])'
  const inPeriod = (from: number, to: number): string =>
    operator === '='
      ? `${date} >= ${param(from)} AND ${date} < ${param(to)}`
      : `${date} ${operator} ${param(operator === '<' || operator === '>=' ? from : to - 1)}`
  const byDate = period === undefined ? 'false' : `(part[2] <> '' AND ${inPeriod(period.from, period.to)})`
  const isNumber = number === undefined ? 'false' : "part[1] <> ''"
  const parts = `[entry IN f.comparable WHERE entry STARTS WITH ${param(name + SEPARATOR)} | split(entry, ${param(SEPARATOR)})]`
  return `any(part IN ${parts} WHERE CASE WHEN ${isNumber} THEN ${byNumber} ELSE ${byDate} END)`
}
