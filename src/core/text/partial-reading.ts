/** This marker follows truncated text, and its length counts towards the limit. */
export const MARKER = '... [truncated]'

const PARTIAL = 'partial:'

/** Returns the hash for a caller that has read only part of a file. It permits every change except replacing the whole body. */
export function partialHash(hash: string): string {
  return PARTIAL + readHash(hash).sha
}

/** Parses a hash. `isPartial` means that the caller has read only part of the note. */
export function readHash(hash: string): { readonly sha: string; readonly isPartial: boolean } {
  const folded = hash.trim().toLowerCase()
  return folded.startsWith(PARTIAL) ? { sha: folded.slice(PARTIAL.length), isPartial: true } : { sha: folded, isPartial: false }
}
