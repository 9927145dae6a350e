/** The first items of a list for a sentence, and how many more there are: `a, b and 3 more`. */
export function listSome(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}
