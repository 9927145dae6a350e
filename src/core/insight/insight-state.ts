/** A value that is at hand, or comes from a database. */
type Sooner<T> = T | Promise<T>

/** A person's decisions about a vault: names of communities, dismissed gaps and unwanted links. */
export interface Decisions {
  /** The user's own labels, by community. */
  labels(): Sooner<ReadonlyMap<string, string>>
  /** Gives a community a label of its own; without one it is called after its notes again. @throws RouxError `PROVIDER_ERROR` */
  setLabel(community: string, label: string | undefined): Sooner<void>
  /** Keys of dismissed gaps and links; see `gapKey` and `linkKey`. */
  dismissed(): Sooner<ReadonlySet<string>>
  /** @throws RouxError `PROVIDER_ERROR` */
  dismiss(gap: string): Sooner<void>
  /** Has a gap told again. @returns whether it was dismissed @throws RouxError `PROVIDER_ERROR` */
  restore(gap: string): Sooner<boolean>
}

/** Decisions, and which community has which id: what cannot be computed again. Kept with the user's state or in the database, never in the vault. */
export interface InsightState extends Decisions {
  /** The communities that were kept last, packed; `undefined` where none were. */
  communities(): Uint8Array | undefined
  /** Keeps them where that is possible; else ids are found by membership again from those that were kept before. */
  keepCommunities(bytes: Uint8Array): void
  close(): void
}
