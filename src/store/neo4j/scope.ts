import type { Scope } from '../../core/store.ts'
import { NOTES, pathStart } from '../note-facts.ts'
import type { Values } from './server/connection.ts'

/** The Cypher conditions on a node `f`. */
export interface ScopeCondition {
  readonly text: string
  readonly parameters: Values
}

/** @param bare removes the vault prefix from an id */
export function filesIn(scope: Scope, bare: (id: string) => string): ScopeCondition {
  const { kinds = NOTES, tags, note, withExcluded = false, withoutArchived = false, withoutConflicts = false } = scope
  // For a single note, `left` replaces `STARTS WITH`, because the planner might use the wrong index.
  const conditions =
    note === undefined
      ? ['f.folded STARTS WITH $scopeStart']
      : ['f.id = $scopeNote', 'left(f.folded, size($scopeStart)) = $scopeStart']
  if (labelOf(scope) === 'RouxListed') conditions.push('f:RouxListed')
  else {
    conditions.push('f.kind IN $scopeKinds')
    if (!withExcluded) conditions.push('NOT f.excluded')
  }
  if (withoutArchived) conditions.push('NOT f.archived')
  if (withoutConflicts) conditions.push('NOT f.conflict')
  const isTagged = tags !== undefined && tags.names.length > 0
  if (isTagged) conditions.push(`${tags.mode === 'all' ? 'all' : 'any'}(tag IN $scopeTags WHERE tag IN f.tagNames)`)
  return {
    text: conditions.join(' AND '),
    parameters: {
      scopeStart: pathStart(scope),
      scopeKinds: [...kinds],
      scopeNote: note === undefined ? '' : bare(note),
      scopeTags: isTagged ? [...tags.names] : [],
    },
  }
}

/** Returns the label of a scope. A single note needs `RouxFile`, the only label with an index of ids. */
export function labelFor(scope: Scope): 'RouxListed' | 'RouxFile' {
  return scope.note === undefined ? labelOf(scope) : 'RouxFile'
}

export function labelOf({ kinds = NOTES, withExcluded = false }: Scope): 'RouxListed' | 'RouxFile' {
  return kinds.length === 1 && kinds[0] === 'note' && !withExcluded ? 'RouxListed' : 'RouxFile'
}

export function hasMissing({ kinds = NOTES, tags, note }: Scope): boolean {
  return kinds.includes('missing') && note === undefined && (tags === undefined || tags.names.length === 0)
}

export function hasFiles({ kinds = NOTES }: Scope): boolean {
  return kinds.some((kind) => kind !== 'missing')
}
