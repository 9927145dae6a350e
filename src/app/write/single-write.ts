import type { Operation } from '../../core/operations.ts'
import { boundaryBefore } from '../answer/truncate.ts'

/** The operations of these kinds. */
export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>

/** One operation as a tool asks for it. */
export interface SingleWrite<Asked extends Operation = Operation> {
  /** The tool's name. */
  readonly tool: string
  readonly operation: Asked
  /** Only report what would be done. */
  readonly dryRun: boolean
}

/** Characters of a title in the list of changes. */
const LONGEST_TITLE = 200

/** The title of these operations in the list of changes: `move_node a.md → b.md`. */
export function titleOf(operations: readonly Pick<SingleWrite, 'tool' | 'operation'>[]): string {
  const titles = operations.map(({ tool, operation }) => `${tool} ${subjectOf(operation)}`)
  const title = titles.length === 1 ? titles.join('') : `apply_changes: ${titles.length} operations: ${titles.join(', ')}`
  return title.length > LONGEST_TITLE ? `${title.slice(0, boundaryBefore(title, 0, LONGEST_TITLE - 1))}…` : title
}

function subjectOf(operation: Operation): string {
  switch (operation.kind) {
    case 'renameTag':
      return `#${operation.tag.replace(/^#/, '')} → #${operation.to.replace(/^#/, '')}`
    case 'createFolder':
      return operation.path
    case 'renameHeading':
      return `${operation.id}: ${operation.heading.join(' > ')} → ${operation.to}`
    case 'move':
      return `${operation.id} → ${operation.to}`
    case 'clone':
      return `${operation.id} → ${operation.folder}/`
    case 'addAttachment':
      return `${operation.filename} for ${operation.id}`
    default:
      return operation.id
  }
}
