/** Lists the first items in a form suitable for a sentence, with the number of remaining items: `a, b and 3 more`. */
export function listSome(items: readonly string[], limit: number): string {
  const listed = items.slice(0, limit).join(', ')
  return items.length > limit ? `${listed} and ${items.length - limit} more` : listed
}
