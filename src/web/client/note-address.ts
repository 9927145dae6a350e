/** The address of a note on this page. Lone surrogates, which properties may contain, cannot be in an address. */
export function noteAddress(id: string, vault = ''): string {
  return `#${new URLSearchParams({ ...(vault === '' ? {} : { vault }), note: id })}`
}
