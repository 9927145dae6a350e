import type { Query } from '../../../src/search/query/query.ts'
import { formatQuery } from './format-query.ts'

/** A query with its full structure: every group in parentheses, kinds by name. */
export function show(query: Query): string {
  switch (query.kind) {
    case 'all':
      return 'all'
    case 'and':
    case 'or':
      return `${query.kind}(${query.parts.map(show).join(', ')})`
    case 'not':
      return `not(${show(query.part)})`
    case 'text':
    case 'title':
      return `${query.kind === 'title' ? 'title ' : ''}${query.form} ${query.text}`
    case 'tag':
      return `tag ${query.name}`
    case 'property':
      return `property ${query.name}${query.value === undefined ? '' : ` = <${query.value}>`}`
    case 'relation':
      return `relation ${query.name}${query.title === undefined ? '' : ` = <${query.title}>`}`
    case 'path':
      return `path ${query.text}`
    default:
      return formatQuery(query)
  }
}
