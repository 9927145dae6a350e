/** With more communities, colors do not give an overview. */
const MANY = 24

/** Checks whether a map shows regions: if there are too many communities for colors, and no region has most of the notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
