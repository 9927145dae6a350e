import type { NodeId } from '../core/ids.ts'
import type { Scope, Snapshot } from '../core/store.ts'
import type { GraphCore } from './graph-core.ts'
import { lookUp } from './known-node.ts'
import { ownNames } from './own-names.ts'

/** The notes of a scope whose title or alias is what was typed, else is it but for accents and the like; and the note with that id. */
export async function namedExactly(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  typed: string,
  scope: Scope = {},
): Promise<readonly NodeId[]> {
  const name = typed.trim()
  if (name === '') return []
  const [[equal = []], [plain = []], ids] = await Promise.all([
    snapshot.names([name], 'equal', scope),
    snapshot.names([name], 'plain', scope),
    noteWithId(snapshot, core, name, scope),
  ])
  const named = ownNames(equal.length > 0 ? equal : plain)
  return [...named.map(({ id }) => id), ...ids]
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
