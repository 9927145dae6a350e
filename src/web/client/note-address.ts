/** Where a note is on this page. What is no character, as a note's properties may name one, has no place in an address. */
export function noteAddress(id: string): string {
  return `#${new URLSearchParams({ note: id })}`
}
