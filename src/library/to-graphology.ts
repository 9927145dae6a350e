import type { MultiDirectedGraph } from 'graphology'
import { answerInSteps } from '../app/answer/answer-when-ready.ts'
import { communitiesOf, latestOf } from '../app/find/communities.ts'
import type { Answer, GraphCore } from '../app/graph-core.ts'
import { errorCode, providerError, reasonOf } from '../core/errors.ts'
import type { NodeId } from '../core/ids.ts'
import { folderOf } from '../core/paths.ts'
import { ALL, type NodeKind, type Occurrence, type Snapshot } from '../core/store.ts'
import type { CallOptions } from './methods.ts'

/** The attributes of a node. A node's key is its id. */
export type GraphNodeAttributes = {
  title: string
  kind: NodeKind
  tags: readonly string[]
  aliases: readonly string[]
  /** Spelled as on disk. Omitted for missing targets. */
  path?: string
  /** The folder of `path`. Empty for the vault's root. */
  folder?: string
  /** The note's community, then the smaller community inside it. */
  community?: string
  community_2?: string
}

/** The attributes of an edge. Each edge is one occurrence of a link. */
export type GraphLinkAttributes = {
  kind: Occurrence['kind']
  form: Occurrence['form']
  /** The property that contains the link. Omitted for links in the text. */
  type?: string
  /** The file that contains the link, and the line in it, starting at 1. */
  file: string
  line: number
  /** The heading or block to which the link points. */
  subpath?: string
  /** Set if the link is in a comment, so readers do not see it. */
  comment?: true
}

/** A vault as a graph of the package `graphology`. */
export type VaultGraph = MultiDirectedGraph<GraphNodeAttributes, GraphLinkAttributes>

export interface GraphOptions {
  /** False to leave out communities, which take a long time to compute in a large vault. Defaults to true. */
  readonly communities?: boolean
}

/**
 * Copies the listed nodes and the links between them to a new graph.
 * @throws RouxError `PROVIDER_ERROR` if `graphology` cannot be loaded
 */
export async function toGraphology(
  core: GraphCore,
  { communities = true, signal }: GraphOptions & CallOptions = {},
): Promise<Answer<VaultGraph>> {
  const { MultiDirectedGraph: Graph } = await loadGraphology()
  return answerInSteps(core, { signal, whole: true }, async (read, call) => {
    const latest = communities ? await latestOf(core.insights, call) : undefined
    const members = latest?.insight === undefined ? undefined : communitiesOf(latest.insight)
    const value = await read(async (snapshot) => {
      const graph: VaultGraph = new Graph()
      await copyGraph(snapshot, graph, (id) => members?.get(id) ?? [])
      return graph
    })
    return { value, warnings: latest?.warnings ?? [] }
  })
}

/** Number of nodes to read at once. */
const BATCH = 2_000

const KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment', 'missing']

/** Adds all listed nodes, ordered by id, then all links between different nodes, ordered by source and position. */
async function copyGraph(snapshot: Snapshot, graph: VaultGraph, communitiesAt: (id: NodeId) => readonly string[]): Promise<void> {
  const { items } = await snapshot.select({ kinds: KINDS }, ALL)
  const paths = new Map<NodeId, string>()
  for (let from = 0; from < items.length; from += BATCH) {
    const ids = items.slice(from, from + BATCH).map(({ id }) => id)
    for (const node of await snapshot.nodes(ids, { links: 0 })) {
      if (node === undefined) continue
      const { id, title, kind, path, tags, aliases } = node
      if (path !== undefined) paths.set(id, path)
      const [community, part] = communitiesAt(id)
      graph.addNode(id, {
        title,
        kind,
        ...(path === undefined ? undefined : { path, folder: folderOf(path) }),
        tags,
        aliases,
        ...(community === undefined ? undefined : { community }),
        ...(part === undefined ? undefined : { community_2: part }),
      })
    }
  }
  const sources = [...paths.keys()]
  let count = 0
  for (let from = 0; from < sources.length; from += BATCH) {
    for (const link of await snapshot.linksFrom(sources.slice(from, from + BATCH))) {
      // Number the edges, because graphology would choose random keys that differ from copy to copy.
      graph.addEdgeWithKey(String(count++), link.from, link.to, attributesOf(link, paths.get(link.from) ?? ''))
    }
  }
}

function attributesOf({ kind, form, property, subpath, line, inComment }: Occurrence, file: string): GraphLinkAttributes {
  return {
    kind,
    form,
    ...(property === undefined ? undefined : { type: property }),
    file,
    line,
    ...(subpath === undefined ? undefined : { subpath }),
    ...(inComment ? { comment: true as const } : undefined),
  }
}

/** The command that installs the tested version. */
const INSTALL = '`npm install graphology@0.26 graphology-types`'

async function loadGraphology(): Promise<Pick<typeof import('graphology'), 'MultiDirectedGraph'>> {
  try {
    return await import('graphology')
  } catch (cause) {
    if (errorCode(cause) === 'ERR_MODULE_NOT_FOUND' && /'graphology'/.test(String(cause)))
      throw providerError('toGraphology needs the package graphology, which is not installed.', `Install it with ${INSTALL}.`)
    throw providerError(`The package graphology cannot be loaded: ${reasonOf(cause)}.`, `Install it again with ${INSTALL}.`)
  }
}
