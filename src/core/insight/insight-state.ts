/**
 * What was decided about a vault as a whole and cannot be computed again: which community has which id, what the user calls it, which gaps are
 * none, which links are not wanted. Kept with the user's state, never in the vault.
 */
export interface InsightState {
  /** The communities that were kept last, packed; `undefined` where none were. */
  communities(): Uint8Array | undefined
  /** Keeps them where that is possible; else ids are found by membership again from those that were kept before. */
  keepCommunities(bytes: Uint8Array): void
  /** The user's own labels, by community. */
  labels(): ReadonlyMap<string, string>
  /** Gives a community a label of its own; without one it is called after its notes again. @throws RouxError `PROVIDER_ERROR` */
  setLabel(community: string, label: string | undefined): void
  /** The gaps and links that the user does not want to be told again; see `gapKey` and `linkKey`. */
  dismissed(): ReadonlySet<string>
  /** @throws RouxError `PROVIDER_ERROR` */
  dismiss(gap: string): void
  /** Has a gap told again. @returns whether it was dismissed @throws RouxError `PROVIDER_ERROR` */
  restore(gap: string): boolean
  close(): void
}
