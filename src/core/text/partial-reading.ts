/** The end of a cut text; it counts towards the limit. */
export const MARKER = '... [truncated]'

const PARTIAL = 'partial:'

/** The hash for a caller that has not read the whole file: valid for every change except replacing everything. */
export function partialHash(hash: string): string {
  return PARTIAL + readHash(hash).sha
}

/** The SHA-256 in a hash that a caller gives back, and whether it is one of a note that was read in part. */
export function readHash(given: string): { readonly sha: string; readonly isPartial: boolean } {
  const folded = given.trim().toLowerCase()
  return folded.startsWith(PARTIAL) ? { sha: folded.slice(PARTIAL.length), isPartial: true } : { sha: folded, isPartial: false }
}
