/** The rights of a token; each tool needs one of these. */
export const SCOPES = ['read', 'write', 'attach', 'ai'] as const

export type Scope = (typeof SCOPES)[number]

/** The rights of a token's owner; never more than the settings allow. */
export interface Access {
  /** The token's name, for messages. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The vaults by their names, or all of them. */
  readonly vaults: '*' | readonly string[]
}
