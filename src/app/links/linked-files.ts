import type { NodeId } from '../../core/ids.ts'
import type { LinkedFile, LinkedFiles } from '../../core/insight/picture.ts'
import { folderOf } from '../../core/paths.ts'
import type { Snapshot } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'

/** A batch of this size takes a few milliseconds. */
const BATCH = 200
const MAX_FILES = 5_000
const MAX_CARDS = 1_000

export function linkedFiles(core: GraphCore, call: Call = {}): Promise<Answer<LinkedFiles>> {
  return answer(core, call, async (snapshot) => {
    const { items, total } = await snapshot.select({ kinds: ['attachment', 'canvas'] }, { offset: 0, limit: MAX_FILES })
    const files: LinkedFile[] = []
    for (let from = 0; from < items.length; from += BATCH) {
      call.signal?.throwIfAborted()
      const ids = items.slice(from, from + BATCH).map(({ id }) => id)
      files.push(...(await describe(snapshot, ids)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return plain({ files, left_out: total - items.length })
  })
}

async function describe(snapshot: Snapshot, ids: readonly NodeId[]): Promise<readonly LinkedFile[]> {
  const [nodes, links] = await Promise.all([snapshot.nodes(ids, { links: MAX_CARDS }), snapshot.linksInto(ids)])
  const linked = new Map(ids.map((id) => [id, new Set<NodeId>()]))
  for (const { from, to } of links) linked.get(to)?.add(from)
  return nodes.flatMap((node): readonly LinkedFile[] => {
    const others = node === undefined ? undefined : linked.get(node.id)
    if (node === undefined || others === undefined) return []
    for (const { id } of node.links) others.add(id)
    const { id, title, path = '' } = node
    return others.size === 0 ? [] : [{ id, title, folder: folderOf(path), linked: [...others] }]
  })
}
