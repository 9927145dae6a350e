import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { NodeCompletion } from '../../app/names/complete-node.ts'
import type { WholeFile } from '../../app/read/read-file.ts'
import type { NodeKind } from '../../core/store.ts'
import type { ToolIdentity } from '../definition/define-tool.ts'
import type { ServerFacts } from '../server-facts.ts'

/** Facts beside the vault when a resource is read. */
export interface ResourceRequest extends Call {
  readonly server: ServerFacts
}

/** The tool that says the same: what is switched off there, or not allowed, is so here. */
export type Source = ToolIdentity

/** Facts about a vault, as JSON, at one address. */
export interface FixedResource {
  /** The address is `roux://` and this. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly source: Source
  /** Facts about the server itself, independent of its vaults. */
  about?(request: ResourceRequest): Promise<object>
  read(core: GraphCore, request: ResourceRequest): Promise<Answer<object>>
}

/** Files of a vault at addresses of one form. */
export interface TemplateResource {
  readonly kind: 'node' | 'attachment'
  /** The kinds of nodes at its addresses. */
  readonly kinds: readonly NodeKind[]
  readonly title: string
  readonly description: string
  /** The variable of the address: `{+id}`. */
  readonly variable: string
  /** The common type; absent if they differ. */
  readonly mimeType?: string
  readonly source: Source
  /** `null` where there is none. */
  read(core: GraphCore, id: string, call: Call): Promise<Answer<WholeFile | null>>
  complete(core: GraphCore, typed: string, call: Call): Promise<NodeCompletion>
}
