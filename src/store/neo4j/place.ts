/** A vault in a Neo4j database: which server, and under which name the vault lies there. Never logged: it holds the password. */
export interface Neo4jPlace {
  readonly type: 'neo4j'
  /** `bolt://…` or `neo4j://…`, encrypted with `+s`. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Empty for the server's default one. */
  readonly database: string
  /** What tells the vault from others of the database. */
  readonly vault: string
}
