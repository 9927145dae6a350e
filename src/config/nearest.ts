/** The names that `word` may have been meant for, best first; at most `count`, none when nothing is near. */
export function nearest(word: string, names: Iterable<string>, count = 1): readonly string[] {
  const wanted = fold(word)
  // Nobody mistypes a name into one this long, and comparing costs the product of the lengths.
  if (wanted.length > 100) return []
  // A third of the letters may be wrong, and a swap of neighbours counts once: more than that is another word.
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  return [...names]
    .map((name) => ({ name, distance: distance(wanted, fold(name)) }))
    .filter((hit) => hit.distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map((hit) => hit.name)
}

/** `Did you mean "a" or "b"?`, `undefined` when there is nothing to suggest. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`
}

function fold(word: string): string {
  return word.toLowerCase().replace(/-/g, '_')
}

/** Damerau-Levenshtein distance (optimal string alignment), over three rows. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let best = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (above[column - 1] ?? 0) + (same ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? 0) + 1)
      }
      current.push(best)
    }
    before = above
    above = current
  }
  return above[b.length] ?? 0
}
