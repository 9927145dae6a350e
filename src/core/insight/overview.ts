/** Above this number of communities, colors no longer give an overview. */
const MANY = 24

/** Checks whether a map should show regions: too many communities for colors, and no region that contains most notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
