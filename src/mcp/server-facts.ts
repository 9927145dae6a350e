/** Facts about a server. */
export interface ServerFacts {
  readonly version: string
  /** Settings that are not as they are by default, by key; none that is secret or a path. */
  readonly settings: Readonly<Record<string, unknown>>
  /** True if clients learn paths of this computer. */
  readonly verbose?: boolean
  /** The embedder for search by meaning; absent without one. */
  readonly embedder?: string
  /** Today's tokens by model server. */
  tokens?(): Promise<Readonly<Record<string, unknown>>>
}
