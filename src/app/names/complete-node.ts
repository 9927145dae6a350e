import { foldId } from '../../core/ids.ts'
import type { NodeKind } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { ownNames } from './known-node.ts'

/** Ids that a beginning may become. */
export interface NodeCompletion {
  /** Ids that begin so first, then those whose title or alias is like it. */
  readonly ids: readonly string[]
  /** How many there are; at least as many as `ids`. */
  readonly total: number
}

export interface CompletionBounds {
  /** Maximum number of ids. */
  readonly limit: number
  readonly kinds?: readonly NodeKind[]
}

/** Nobody types a longer name, and comparing costs more with every character. */
const LONGEST = 255

/** Names that share less are not what was meant. */
const LIKENESS = 0.2

/** The ids that what was typed so far may become: it may be the beginning of an id, or a title. */
export function completeNode(
  core: GraphCore,
  typed: string,
  { limit, kinds = ['note'] }: CompletionBounds,
  call: Call = {},
): Promise<Answer<NodeCompletion>> {
  return answer(core, call, async (snapshot) => {
    const name = withoutVault(core, typed.slice(0, LONGEST))
    const path = foldId(name)
    const begun = await snapshot.select({ kinds, ...(path === '' ? {} : { path }) }, { offset: 0, limit })
    const ids = new Set<string>(begun.items.map(({ id }) => id))
    if (name.trim() === '' || ids.size >= limit) return plain({ ids: [...ids], total: begun.total })
    const [equal = []] = await snapshot.names([name], 'equal', { kinds })
    const [alike = []] = await snapshot.names([name], 'similar', { kinds }, { limit, minimum: LIKENESS })
    const more = new Set([...ownNames(equal), ...alike].map(({ id }) => id as string).filter((id) => !ids.has(id)))
    return plain({ ids: [...ids, ...more].slice(0, limit), total: begun.total + more.size })
  })
}

/** The typed text without the vault's name in front. */
function withoutVault({ name }: GraphCore, typed: string): string {
  return name !== undefined && foldId(typed).startsWith(`${foldId(name)}:`) ? typed.slice(name.length + 1) : typed
}
