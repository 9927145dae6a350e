/** A heading as links write it: what means something in a link becomes a space. */
export function headingLinkText(heading: string): string {
  return heading
    .replace(/[#|^:%[\]\\`$<>]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A heading's anchor as GitHub and the generators of documentation make it; how they treat runs of dashes differs. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\s\{#[^{}]*\}\s*$/, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^-|-$/g, '')
}
