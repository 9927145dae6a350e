/** With more communities than this, their colors are too hard to tell apart. */
const MANY = 24

/** Decides whether a map shows regions: there are too many communities for colors, and no region contains most of the notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
