/** A value from memory, or a promise for one that is read from a database. */
type MaybePromise<T> = T | Promise<T>

/** The user's decisions about a vault: community names, dismissed gaps and unwanted links. */
export interface Decisions {
  /** The user's own labels by community id. */
  labels(): MaybePromise<ReadonlyMap<string, string>>
  /** Labels a community, or restores the automatic label if `label` is undefined. @throws RouxError `PROVIDER_ERROR` */
  setLabel(community: string, label: string | undefined): MaybePromise<void>
  /** Keys of dismissed gaps and links; see `gapKey` and `linkKey`. */
  dismissed(): MaybePromise<ReadonlySet<string>>
  /** @throws RouxError `PROVIDER_ERROR` */
  dismiss(gap: string): MaybePromise<void>
  /** Shows a dismissed gap again. @returns whether it was dismissed @throws RouxError `PROVIDER_ERROR` */
  restore(gap: string): MaybePromise<boolean>
}

/** User decisions and community ids, which cannot be recomputed. Stored with the user's state or in the database, never in the vault. */
export interface InsightState extends Decisions {
  /** The last saved communities in packed form, or `undefined` if there are none. */
  communities(): Uint8Array | undefined
  /** Saves the communities. If that fails, the next communities are compared with the previously saved ones to assign ids. */
  keepCommunities(bytes: Uint8Array): void
  close(): void
}
