/** What a server says about itself. */
export interface ServerFacts {
  readonly version: string
  /** Settings that are not as they are by default, by key; none that is secret or a path. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Whether clients are told where things are on this computer. */
  readonly verbose?: boolean
  /** What notes are found by meaning with; absent where they are not. */
  readonly embedder?: string
  /** What models on servers were asked today, by server. */
  tokens?(): Promise<Readonly<Record<string, unknown>>>
}
