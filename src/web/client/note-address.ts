/** The address of a note on this page. What is no character, as a note's properties may name one, has no place in an address. */
export function noteAddress(id: string, vault = ''): string {
  return `#${new URLSearchParams({ ...(vault === '' ? {} : { vault }), note: id })}`
}
