import type { NodeId } from '../../core/ids.ts'
import type { Scope, Snapshot } from '../../core/store.ts'
import type { GraphCore } from '../graph-core.ts'
import { lookUp, ownNames } from './known-node.ts'

/** Notes that are called exactly so. */
export interface NamedExactly {
  /** A file's name counts only where no note has it as title or alias. */
  readonly own: readonly NodeId[]
  readonly all: readonly NodeId[]
}

/**
 * The notes of a scope with this title or alias, or with it except for accents and punctuation; and the note with that
 * id.
 */
export async function namedExactly(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  typed: string,
  scope: Scope = {},
): Promise<NamedExactly> {
  const name = typed.trim()
  if (name === '') return { own: [], all: [] }
  const [[equal = []], [plain = []], ids] = await Promise.all([
    snapshot.names([name], 'equal', scope),
    snapshot.names([name], 'plain', scope),
    noteWithId(snapshot, core, name, scope),
  ])
  const named = equal.length > 0 ? equal : plain
  const toIds = (hits: typeof named): readonly NodeId[] => [...hits.map(({ id }) => id), ...ids]
  return { own: toIds(ownNames(named)), all: toIds(named) }
}

async function noteWithId(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  typed: string,
  scope: Scope,
): Promise<readonly NodeId[]> {
  const [id] = await lookUp(snapshot, core, [typed])
  if (id === undefined || (scope.note !== undefined && scope.note !== id)) return []
  const { items } = await snapshot.select({ ...scope, note: id }, { offset: 0, limit: 1 })
  return items.map((item) => item.id)
}
