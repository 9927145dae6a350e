import type { MultiDirectedGraph } from 'graphology'
import { answerInSteps } from '../app/answer/answer-when-ready.ts'
import { communitiesOf, latestOf } from '../app/find/communities.ts'
import type { Answer, GraphCore } from '../app/graph-core.ts'
import { readWholeGraph } from '../app/links/whole-graph.ts'
import { errorCode, providerError, reasonOf } from '../core/errors.ts'
import type { NodeKind, Occurrence } from '../core/store.ts'
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
      let count = 0
      await readWholeGraph(snapshot, {
        node({ id, ...node }) {
          const [community, part] = members?.get(id) ?? []
          graph.addNode(id, {
            ...node,
            ...(community === undefined ? undefined : { community }),
            ...(part === undefined ? undefined : { community_2: part }),
          })
        },
        // Number the edges, because graphology would choose random keys that differ from copy to copy.
        link: (link, file) => void graph.addEdgeWithKey(String(count++), link.from, link.to, attributesOf(link, file)),
      })
      return graph
    })
    return { value, warnings: latest?.warnings ?? [] }
  })
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
