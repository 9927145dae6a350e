import type { Occurrence } from '../core/store.ts'
import type { GraphCore } from './graph-core.ts'

/** Whether a link names a heading or block that is not in the note it leads to. */
export async function isSubpathBroken(core: GraphCore, { to, subpath = '' }: Occurrence): Promise<boolean> {
  if (subpath === '') return false
  const [node] = await core.store.nodes([to], { links: 0 })
  // What follows the `#` of other files is no heading: `report.pdf#page=3`.
  const target = node?.kind === 'note' ? await core.store.text(to) : undefined
  if (target === undefined) return false
  // The parser is loaded when first needed: a server starts without it.
  const [{ hasSubpath }, { parseText }] = await Promise.all([import('../links/subpath.ts'), import('./section.ts')])
  return !hasSubpath(subpath, parseText(target.text, core.indexing.status().mode))
}
