import type { NodeId } from '../core/ids.ts'
import type { Snapshot } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import type { GraphCore } from './graph-core.ts'

/**
 * The texts of notes and canvases, in order; `undefined` for what has none. Where one changed since it was indexed, it is indexed again
 * first, and the use case runs again; a file that is rewritten again and again is answered with the bytes read last.
 */
export async function noteTexts(
  { texts, indexing }: Pick<GraphCore, 'texts' | 'indexing'>,
  snapshot: Snapshot,
  ids: readonly NodeId[],
  signal?: AbortSignal,
): Promise<readonly (NoteText | undefined)[]> {
  const versions = await snapshot.versions(ids)
  const wanted = versions.flatMap((version) => (version === undefined || version.kind === 'attachment' ? [] : [version]))
  const read = await texts.read(wanted, signal)
  const changed = wanted.filter(({ hash }, at) => (read[at]?.hash ?? '') !== hash)
  if (changed.length > 0) {
    await indexing.reconcile(changed.map(({ path }) => path))
    snapshot.restart()
  }
  const byId = new Map(wanted.map(({ id }, at) => [id, read[at]]))
  return ids.map((id) => byId.get(id))
}
