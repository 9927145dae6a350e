import type { NoteText, Occurrence } from '../core/store.ts'
import type { GraphCore } from './graph-core.ts'
import { tryText } from './texts.ts'

/** Whether a link names a heading or block that is not in the note it leads to; `'unread'` where that cannot be told now. */
export async function isSubpathBroken(core: GraphCore, { to, subpath = '' }: Occurrence): Promise<boolean | 'unread'> {
  if (subpath === '') return false
  const [node] = await core.store.nodes([to], { links: 0 })
  // What follows the `#` of other files is no heading: `report.pdf#page=3`.
  const target = node?.kind === 'note' ? await tryText(core, to) : undefined
  if (target === 'unread') return target
  return target !== undefined && (await lacks(core, target, subpath))
}

async function lacks(core: GraphCore, target: NoteText, subpath: string): Promise<boolean> {
  // The parser is loaded when first needed: a server starts without it.
  const [{ hasSubpath }, { parseText }] = await Promise.all([import('../links/subpath.ts'), import('./section.ts')])
  return !hasSubpath(subpath, parseText(target.text, core.indexing.status().mode))
}
