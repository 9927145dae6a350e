/** Removes characters from the end of a text. Linear, where `/\/+$/` takes quadratic time on long runs that end in something else. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** Removes characters from both ends of a text. */
export function trimBothOf(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start] as string)) start++
  return trimEndOf(text.slice(start), characters)
}
