import { foldId } from '../../core/ids.ts'
import type { NodeKind } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { ownNames } from './known-node.ts'

export interface NodeCompletion {
  readonly ids: readonly string[]
  /** Number of all matches, including those that are not in `ids`. */
  readonly total: number
}

export interface CompletionBounds {
  readonly limit: number
  readonly kinds?: readonly NodeKind[]
}

const MAX_LENGTH = 255

const MIN_SIMILARITY = 0.2

export function completeNode(
  core: GraphCore,
  input: string,
  { limit, kinds = ['note'] }: CompletionBounds,
  call: Call = {},
): Promise<Answer<NodeCompletion>> {
  return answer(core, call, async (snapshot) => {
    const name = withoutVault(core, input.slice(0, MAX_LENGTH))
    const path = foldId(name)
    const byPrefix = await snapshot.select({ kinds, ...(path === '' ? {} : { path }) }, { offset: 0, limit })
    const ids = new Set<string>(byPrefix.items.map(({ id }) => id))
    if (name.trim() === '' || ids.size >= limit) return plain({ ids: [...ids], total: byPrefix.total })
    const [equal = []] = await snapshot.names([name], 'equal', { kinds })
    const [similar = []] = await snapshot.names([name], 'similar', { kinds }, { limit, minimum: MIN_SIMILARITY })
    const more = new Set([...ownNames(equal), ...similar].map(({ id }) => id as string).filter((id) => !ids.has(id)))
    return plain({ ids: [...ids, ...more].slice(0, limit), total: byPrefix.total + more.size })
  })
}

function withoutVault({ name }: GraphCore, input: string): string {
  return name !== undefined && foldId(input).startsWith(`${foldId(name)}:`) ? input.slice(name.length + 1) : input
}
