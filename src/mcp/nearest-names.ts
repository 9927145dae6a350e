/** How many names a suggestion holds. */
const SUGGESTED = 3

/** The names that a word may have been meant for, best first; none when nothing is near. */
export function nearestNames(word: string, names: Iterable<string>): readonly string[] {
  const wanted = fold(word)
  // Nobody mistypes a name into one this long, and comparing costs the product of the lengths.
  if (wanted.length > 100) return []
  return [...names]
    .map((name) => ({ name, distance: distanceBetween(wanted, fold(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(Math.max(wanted.length, name.length) / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTED)
    .map(({ name }) => name)
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Levenshtein distance, but nothing for what one word only adds to the other (`tag` and `tags_any` are near). */
function distanceBetween(a: string, b: string): number {
  if (a !== '' && b !== '' && (a.includes(b) || b.includes(a))) return 1
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const swap = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, swap))
    }
    above = current
  }
  return above[b.length] ?? 0
}
