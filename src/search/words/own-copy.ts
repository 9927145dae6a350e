/** Slices below this length are copies anyway. */
const SHORTEST_SLICE = 13

/** The same text without hold on another: V8 keeps a whole text alive for as long as a slice of it. */
export function ownCopy(slice: string): string {
  return slice.length < SHORTEST_SLICE ? slice : Buffer.from(slice).toString()
}
