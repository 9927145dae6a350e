import type { Heading } from '../../core/note.ts'
import type { VaultLinkResponse } from '../links/vault-links.ts'
import type { ListedNode, NodeResponse } from './node-response.ts'

/** A node with all its facts. */
export interface NodeDetails extends NodeResponse {
  readonly incomingCount?: number
  readonly outgoingCount?: number
  readonly outgoingNeighbors?: readonly ListedNode[]
  readonly incomingNeighbors?: readonly ListedNode[]
  /** SHA-256 of the file, `partial:` in front where `content` is not all of it; attachments are not read. */
  readonly hash?: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly created?: string
  readonly modified?: string
  readonly outline: readonly Heading[]
  /** The total; `links` shows the first ones. */
  readonly link_count: number
  /** Links that name a vault; absent where there are none. */
  readonly vault_links?: readonly VaultLinkResponse[]
  /** The `offset` that goes on where `content` was cut. */
  readonly next_offset?: number
}
