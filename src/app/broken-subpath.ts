import type { Occurrence, Snapshot } from '../core/store.ts'
import type { GraphCore } from './graph-core.ts'
import { noteTexts } from './note-texts.ts'

/** Whether a link names a heading or block that is not in the note it leads to. */
export async function isSubpathBroken(core: GraphCore, snapshot: Snapshot, { to, subpath = '' }: Occurrence): Promise<boolean> {
  if (subpath === '') return false
  const [node] = await snapshot.nodes([to], { links: 0 })
  // What follows the `#` of other files is no heading: `report.pdf#page=3`.
  const [target] = node?.kind === 'note' ? await noteTexts(core, snapshot, [to]) : []
  if (target === undefined) return false
  // The parser is loaded when first needed: a server starts without it.
  const [{ hasSubpath }, { parseText }] = await Promise.all([import('../links/subpath.ts'), import('./section.ts')])
  return !hasSubpath(subpath, parseText(target.text, core.indexing.status().mode))
}
