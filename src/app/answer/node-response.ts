import type { NodeId } from '../../core/ids.ts'
import type { Node, NodeKind, NodeSummary, Snapshot } from '../../core/store.ts'
import type { Call } from './answer-when-ready.ts'
import { CONTENT_LIMITS, truncateExcerpt } from './truncate.ts'

/** Maximum links of a node in an answer. */
export const MAX_LINKS = 100

/** Default number of links of a node in a list: the best linked ones. */
const LISTED_LINKS = 3

/** A node as answers show it. */
export interface NodeResponse {
  readonly id: NodeId
  readonly title: string
  /** Left out where only metadata was asked for. */
  readonly content?: string
  readonly tags: readonly string[]
  readonly links: readonly NodeSummary[]
  /** In place of `content`. */
  readonly properties?: Readonly<Record<string, unknown>>
  /** Only of nodes that are no notes. */
  readonly kind?: NodeKind
}

/** A node in a list. */
export interface ListedNode extends NodeResponse {
  /** The total; `links` shows the first ones. */
  readonly link_count: number
}

/** How many links of each node a list shows. */
export function linksShown(asked: number | undefined, { whole = false }: Call): number {
  return asked ?? (whole ? MAX_LINKS : LISTED_LINKS)
}

export interface ListOptions {
  readonly shown: 'excerpt' | 'metadata'
  /** Maximum per node. */
  readonly links: number
}

/** The nodes of these ids as a list shows them; those that are gone meanwhile are left out. */
export async function listResponses(
  snapshot: Snapshot,
  ids: readonly NodeId[],
  { shown, links }: ListOptions,
): Promise<readonly ListedNode[]> {
  const nodes = await snapshot.nodes(ids, { links })
  const present = nodes.filter((node) => node !== undefined)
  return present.map((node) => listResponse(node, shown))
}

/** A node as a list shows it: with the beginning of its content or with its properties. */
export function listResponse(node: Node, shown: ListOptions['shown']): ListedNode {
  const response = shown === 'metadata' ? metadataResponse(node) : excerptResponse(node, CONTENT_LIMITS.list)
  return { ...response, link_count: node.linkCount }
}

/** A node with the beginning of its content. */
export function excerptResponse(node: Node, limit: number): NodeResponse {
  return contentResponse(node, truncateExcerpt(node.excerpt, limit, node.excerptCut))
}

/** A node with this content. */
export function contentResponse(node: Node, content: string): NodeResponse & { readonly content: string } {
  return { id: node.id, title: node.title, content, tags: node.tags, links: node.links, ...kindOf(node) }
}

function metadataResponse(node: Node): NodeResponse {
  return {
    id: node.id,
    title: node.title,
    tags: node.tags,
    links: node.links,
    properties: node.properties,
    ...kindOf(node),
  }
}

function kindOf(node: Node): { readonly kind?: NodeKind } {
  return node.kind === 'note' ? {} : { kind: node.kind }
}

/** A score as answers show it: four digits are enough to tell results apart. */
export function roundScore(score: number): number {
  return Number(score.toFixed(4))
}
