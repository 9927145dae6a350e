/** Lists the first items in a form suitable for a sentence, with the number of remaining items: `a, b and 3 more`. */
export function listSome(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}
