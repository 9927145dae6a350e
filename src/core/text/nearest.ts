/** A shorter word is part of too many names. */
const MIN_PART = 3

/**
 * The names that `word` may stand for, nearest first, then in code-point order; at most `count`. Case and punctuation
 * do not count. A name matches if at most a third of its characters differ (at least one; Damerau-Levenshtein distance,
 * where swapped neighbours count once), or if `word` is part of it: `tag` for `tags_any`.
 */
export function nearest(word: string, names: Iterable<string>, count = 1): readonly string[] {
  const wanted = fold(word)
  // A typo in such a long name is unlikely, and comparing costs the product of the lengths.
  if (wanted.length > 100) return []
  const hits: { readonly name: string; readonly distance: number }[] = []
  for (const name of names) {
    const known = fold(name)
    const distance = distanceBetween(wanted, known)
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3))
    const isPart = wanted.length >= MIN_PART && known.includes(wanted)
    if (distance <= limit || isPart) hits.push({ name, distance })
  }
  const sorted = hits.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : Number(a.name > b.name)))
  return sorted.slice(0, count).map(({ name }) => name)
}

/** `Did you mean "a" or "b"?`, `undefined` when there is nothing to suggest. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Damerau-Levenshtein distance (optimal string alignment), over three rows. */
function distanceBetween(a: string, b: string): number {
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
