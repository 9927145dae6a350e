import { foldId, type NodeId } from '../../core/ids.ts'
import type { Node, NodeKind, NodeSummary, Snapshot } from '../../core/store.ts'
import type { Call } from './answer-when-ready.ts'
import { CONTENT_LIMITS, truncateExcerpt } from './truncate.ts'

export const MAX_LINKS = 100

const LISTED_LINKS = 3

export interface NodeResponse {
  readonly id: NodeId
  /** The path as spelled on disk. It is omitted if it is the same as the id. */
  readonly path?: string
  readonly title: string
  readonly content?: string
  readonly tags: readonly string[]
  readonly links: readonly NodeSummary[]
  readonly properties?: Readonly<Record<string, unknown>>
  /** The node's kind. It is omitted for notes. */
  readonly kind?: NodeKind
}

export interface ListedNode extends NodeResponse {
  /** Number of all links. `links` contains only the first ones. */
  readonly link_count: number
}

export function linksShown(requested: number | undefined, { isUntruncated = false }: Call): number {
  return requested ?? (isUntruncated ? MAX_LINKS : LISTED_LINKS)
}

export interface ListOptions {
  readonly shown: 'excerpt' | 'metadata'
  readonly links: number
}

/** Describes the nodes that still exist. */
export async function listResponses(
  snapshot: Snapshot,
  ids: readonly NodeId[],
  { shown, links }: ListOptions,
): Promise<readonly ListedNode[]> {
  const nodes = await snapshot.nodes(ids, { links })
  const present = nodes.filter((node) => node !== undefined)
  return present.map((node) => listResponse(node, shown))
}

export function listResponse(node: Node, shown: ListOptions['shown']): ListedNode {
  const response = shown === 'metadata' ? metadataResponse(node) : excerptResponse(node, CONTENT_LIMITS.list)
  return { ...response, link_count: node.linkCount }
}

export function excerptResponse(node: Node, limit: number): NodeResponse {
  return contentResponse(node, truncateExcerpt(node.excerpt, limit, node.excerptCut))
}

export function contentResponse(node: Node, content: string): NodeResponse & { readonly content: string } {
  return { id: node.id, ...pathOf(node), title: node.title, content, tags: node.tags, links: node.links, ...kindOf(node) }
}

function metadataResponse(node: Node): NodeResponse {
  return {
    id: node.id,
    ...pathOf(node),
    title: node.title,
    tags: node.tags,
    links: node.links,
    properties: node.properties,
    ...kindOf(node),
  }
}

/** Returns the path, unless it equals the id, with or without the vault's name. */
export function pathOf({ id, path }: { readonly id: string; readonly path?: string | undefined }): { readonly path?: string } {
  return path === undefined || id === path || id.endsWith(`:${path}`) ? {} : { path }
}

/** Restores the case of the file's path in an id. */
export function spelledId(id: string, path: string): string {
  const folded = foldId(path)
  return id.endsWith(`:${folded}`) ? id.slice(0, id.length - folded.length) + path : path
}

function kindOf(node: Node): { readonly kind?: NodeKind } {
  return node.kind === 'note' ? {} : { kind: node.kind }
}

export const MAX_SHOWN_SIMILARITY = 0.99

/** The minimum cosine of equal texts. Rounding errors keep it below 1. */
const EQUAL_SIMILARITY = 0.9999

/** Rounds to two digits, but never up to 1 or down to 0. */
export function roundScore(score: number): number {
  if (score <= 0 || score > EQUAL_SIMILARITY) return Number(score.toFixed(2))
  return Number(Math.min(MAX_SHOWN_SIMILARITY, Math.max(0.01, score)).toFixed(2))
}
