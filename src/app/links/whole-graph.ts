import type { NodeId } from '../../core/ids.ts'
import { folderOf } from '../../core/paths.ts'
import { ALL, type NodeKind, type Occurrence, type Snapshot } from '../../core/store.ts'

export interface GraphNode {
  readonly id: NodeId
  readonly title: string
  readonly kind: NodeKind
  /** Omitted for missing targets, like `folder`. */
  readonly path?: string
  /** Folder as spelled on disk. Empty for the vault's root. */
  readonly folder?: string
  readonly tags: readonly string[]
  readonly aliases: readonly string[]
}

/** Receives all nodes of the graph, and then all links. */
export interface GraphReceiver {
  node(node: GraphNode): void
  /** `path` is the file that contains the link. */
  link(link: Occurrence, path: string): void
}

/** Number of nodes to read at once. */
const BATCH = 2_000

const KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment', 'missing']

/** Reads all listed nodes, ordered by id, then all links between different nodes, ordered by source and position. */
export async function readWholeGraph(snapshot: Snapshot, receiver: GraphReceiver): Promise<void> {
  const { items } = await snapshot.select({ kinds: KINDS }, ALL)
  const paths = new Map<NodeId, string>()
  for (let from = 0; from < items.length; from += BATCH) {
    const ids = items.slice(from, from + BATCH).map(({ id }) => id)
    for (const node of await snapshot.nodes(ids, { links: 0 })) {
      if (node === undefined) continue
      const { id, title, kind, path, tags, aliases } = node
      if (path !== undefined) paths.set(id, path)
      receiver.node({ id, title, kind, ...(path === undefined ? {} : { path, folder: folderOf(path) }), tags, aliases })
    }
  }
  const sources = [...paths.keys()]
  for (let from = 0; from < sources.length; from += BATCH) {
    const links = await snapshot.linksFrom(sources.slice(from, from + BATCH))
    for (const link of links) receiver.link(link, paths.get(link.from) ?? '')
  }
}
