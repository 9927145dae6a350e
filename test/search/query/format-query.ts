import type { Query, QueryPart, Term, TextForm } from '../../../src/search/query/query.ts'

/** The shortest text that parses to the same query. */
export function formatQuery(query: Query): string {
  switch (query.kind) {
    case 'all':
      return ''
    case 'or':
      return query.parts.map(formatQuery).join(' OR ')
    case 'and':
      return query.parts.map((part) => (part.kind === 'or' ? grouped(part) : formatQuery(part))).join(' ')
    case 'not':
      return `-${isCompound(query.part) ? grouped(query.part) : formatQuery(query.part)}`
    default:
      return formatTerm(query)
  }
}

/** The text of a single condition; equal texts are the same look-up. */
function formatTerm(term: Term): string {
  switch (term.kind) {
    case 'text':
      return formatWords(term)
    case 'title':
      return `title:${formatWords(term)}`
    case 'tag':
      return `#${term.name}`
    case 'property':
      return `#${quoteIfNeeded(term.name)}=${term.value === undefined ? '' : quoteIfNeeded(term.value)}`
    case 'comparison':
      return `#${quoteIfNeeded(term.name)}${term.operator}${quoteIfNeeded(term.written)}`
    case 'links':
    case 'linkedfrom':
      return `${term.kind}:${quoteIfNeeded(term.title)}`
    case 'set':
      return `${term.field}:${grouped(term.part)}`
    case 'community':
      return `community:${quoteIfNeeded(term.id)}`
    case 'task':
      return `task:${term.state}`
    case 'relation':
      return `~${quoteIfNeeded(term.name)}${term.title === undefined ? '' : `=${quoteIfNeeded(term.title)}`}`
    case 'path':
      return `path:${quoteIfNeeded(term.text)}`
    case 'folder':
      return `folder:${quoteIfNeeded(term.text)}`
    case 'type':
      return `type:${quoteIfNeeded(term.value)}`
    case 'time':
      return `${term.field}:${term.written}`
    case 'has':
      return `has:${term.feature}`
  }
}

function isCompound(condition: QueryPart): boolean {
  return condition.kind === 'and' || condition.kind === 'or' || condition.kind === 'not'
}

function grouped(condition: QueryPart): string {
  return `(${formatQuery(condition)})`
}

function formatWords({ form, text }: { readonly form: TextForm; readonly text: string }): string {
  if (form === 'phrase') return quote(text)
  return form === 'prefix' ? `${text}*` : text
}

function quoteIfNeeded(text: string): string {
  return /^[\p{L}\p{N}_/.-]+$/u.test(text) ? text : quote(text)
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
