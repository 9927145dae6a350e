import { ProtocolError } from '@modelcontextprotocol/server'
import { quoted } from '../../app/answer/truncate.ts'
import { findIds } from '../../app/names/known-node.ts'
import { resolveNodes } from '../../app/names/resolve-nodes.ts'
import { INVALID_PARAMS, meant } from '../protocol-errors.ts'
import type { PromptRequest } from './define-prompt.ts'

/** The minimum similarity for accepting a title. */
const SURE = 0.7
/** How alike one must be to be named as what may have been meant. */
const NEAR = { limit: 3, minimum: 0.3 } as const

/**
 * The id of the note that an argument names: an id, a title or an alias, with a slip or two.
 * @throws ProtocolError −32602 with the nearest ids where there is none.
 */
export async function requireNote({ core, args, call }: PromptRequest, name: string): Promise<string> {
  const written = args[name] ?? ''
  const [id] = await core.store.read((snapshot) => findIds(snapshot, core, [written]), call.signal)
  if (id !== undefined) return id
  const { value } = await resolveNodes(core, { names: [written], strategy: 'fuzzy', threshold: SURE }, call)
  const match = value[0]?.match
  if (match != null) return match
  const [near = []] = await core.store.read((snapshot) => snapshot.names([written.slice(0, 255)], 'similar', {}, NEAR))
  const nearest = near.map((hit) => hit.id)
  throw new ProtocolError(INVALID_PARAMS, `${name}: there is no note ${quoted(written)}.${meant(nearest)}`, {
    argument: name,
    nearest,
  })
}
