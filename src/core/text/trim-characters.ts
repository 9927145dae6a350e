/** Trims in linear time. A regular expression such as `/\/+$/` is quadratic on long runs that are not at the end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}

export function trimBothOf(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start] as string)) start++
  return trimEndOf(text.slice(start), characters)
}
