import type { MultiDirectedGraph } from 'graphology'
import { answerInSteps } from '../app/answer/answer-when-ready.ts'
import { communitiesOf, latestOf } from '../app/find/communities.ts'
import type { Answer, GraphCore } from '../app/graph-core.ts'
import { errorCode, providerError, reasonOf } from '../core/errors.ts'
import type { NodeId } from '../core/ids.ts'
import { folderOf } from '../core/paths.ts'
import { ALL, type NodeKind, type Occurrence, type Snapshot } from '../core/store.ts'
import type { CallOptions } from './methods.ts'

export type GraphNodeAttributes = {
  title: string
  kind: NodeKind
  tags: readonly string[]
  aliases: readonly string[]
  /** The path as spelled on disk. It is omitted for missing targets. */
  path?: string
  /** The folder of `path`, or an empty string for the vault's root. */
  folder?: string
  /** The note's community, followed by the smaller community inside it. */
  community?: string
  community_2?: string
}

/** The attributes of an edge, which is one occurrence of a link. */
export type GraphLinkAttributes = {
  kind: Occurrence['kind']
  form: Occurrence['form']
  /** The property that contains the link. It is omitted for links in the text. */
  type?: string
  /** The file that contains the link, and the 1-based line of the link. */
  file: string
  line: number
  /** The linked heading or block. */
  subpath?: string
  /** True if the link is in a comment. */
  comment?: true
}

export type VaultGraph = MultiDirectedGraph<GraphNodeAttributes, GraphLinkAttributes>

export interface GraphOptions {
  /** Set this to false to skip communities, which take long to compute in a large vault. The default is true. */
  readonly communities?: boolean
}

/** Copies listed nodes and the links between them. @throws RouxError `PROVIDER_ERROR` if `graphology` cannot be loaded */
export async function toGraphology(
  core: GraphCore,
  { communities = true, signal }: GraphOptions & CallOptions = {},
): Promise<Answer<VaultGraph>> {
  const { MultiDirectedGraph: Graph } = await loadGraphology()
  return answerInSteps(core, { signal, isUntruncated: true }, async (read, call) => {
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

const BATCH = 2_000

const KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment', 'missing']

/** Copies nodes ordered by id, and links ordered by source and position. Links from a node to itself are skipped. */
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
      // Keys are counted here, because graphology would choose random ones.
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
