/** Shorter words occur in too many names. */
const MIN_PART = 3

/**
 * Returns names that `word` may be a misspelling of, closest first, then in code-point order. Case and punctuation are ignored.
 * At most a third of the characters may differ (Damerau-Levenshtein), or the name contains `word`: `tag` matches `tags_any`.
 */
export function nearest(word: string, names: Iterable<string>, count = 1): readonly string[] {
  const foldedWord = fold(word)
  // A name this long is rarely a typo, and comparing is quadratic in the length.
  if (foldedWord.length > 100) return []
  const hits: { readonly name: string; readonly distance: number }[] = []
  for (const name of names) {
    const foldedName = fold(name)
    const limit = Math.max(1, Math.floor(Math.max(foldedWord.length, foldedName.length) / 3))
    const isPart = foldedWord.length >= MIN_PART && foldedName.includes(foldedWord)
    const distance = editDistance(foldedWord, foldedName, isPart ? foldedName.length : limit)
    if (distance !== undefined) hits.push({ name, distance })
  }
  const sorted = hits.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : Number(a.name > b.name)))
  return sorted.slice(0, count).map(({ name }) => name)
}

/** Returns a question such as `Did you mean "a" or "b"?`. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Returns the optimal string alignment distance, or `undefined` if it exceeds `limit`. */
export function editDistance(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let rowMinimum = row
    for (let column = 1; column <= b.length; column++) {
      let cost = limit + 1
      if (Math.abs(row - column) <= limit) {
        const change = a[row - 1] === b[column - 1] ? 0 : 1
        cost = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (above[column - 1] ?? 0) + change)
        const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
        if (isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      }
      current.push(cost)
      rowMinimum = Math.min(rowMinimum, cost)
    }
    if (rowMinimum > limit) return undefined
    before = above
    above = current
  }
  const distance = above[b.length] ?? 0
  return distance > limit ? undefined : distance
}
