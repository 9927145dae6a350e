/** Maximum number of communities whose colors can be distinguished. */
const MANY = 24
/** A region with more notes than this is divided into its communities. Communities smaller than `MIN_PART` are kept together. */
export const LARGE_REGION = 100
export const MIN_PART = 12

/** Decides whether a map shows regions: there are too many communities for colors, and no region contains most of the notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
