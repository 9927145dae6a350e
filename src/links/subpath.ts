import type { Heading, Note } from '../core/note.ts'

/** What a subpath can lead to. */
export type Anchors = Pick<Note, 'headings' | 'blocks'>

/**
 * Whether a link's subpath leads to something in the note that the link leads to. Headings are compared as Obsidian compares
 * them, without case and punctuation: `A#C` is a heading C anywhere below a heading A. A heading's anchor on the web
 * (`what-is-new`, `{#id}`) leads to it, too.
 */
export function hasSubpath(subpath: string, { headings, blocks }: Anchors): boolean {
  const parts = subpath.split('#').filter((part) => part.trim() !== '')
  const last = parts.at(-1)?.trim()
  // Every page has a top (HTML, "scroll to the fragment").
  if (last === undefined || subpath === 'top') return true
  if (last.startsWith('^')) {
    const id = last.slice(1).toLowerCase()
    return blocks.some((block) => block.toLowerCase() === id)
  }
  return hasHeading(headings, parts.map(foldHeading)) || (parts.length === 1 && hasAnchor(headings, last))
}

/** Whether the names occur in this order on the way from the top of the outline to a heading that has the last of them. */
function hasHeading(headings: readonly Heading[], names: readonly string[]): boolean {
  // For each open level of the outline, how many of the names were met down to it.
  const open: { readonly level: number; readonly met: number }[] = []
  for (const { level, text } of headings) {
    while ((open.at(-1)?.level ?? 0) >= level) open.pop()
    const met = open.at(-1)?.met ?? 0
    const isNext = foldHeading(text) === names[met]
    if (isNext && met + 1 === names.length) return true
    open.push({ level, met: isNext ? met + 1 : met })
  }
  return false
}

/** A heading as Obsidian compares it: no case, punctuation as spaces, spaces collapsed. */
function foldHeading(heading: string): string {
  return heading
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFC')
}

/** Whether a heading's anchor is this one: generators number those of headings that are called alike, from the second on. */
function hasAnchor(headings: readonly Heading[], anchor: string): boolean {
  const wanted = anchorOf(anchor)
  const unnumbered = wanted.replace(/[-_]\d+$/, '')
  let alike = 0
  for (const { text } of headings) {
    if (explicitAnchor(text) === anchor || anchorOf(text) === wanted) return true
    if (anchorOf(text) === unnumbered) alike++
  }
  return alike > 1
}

/** A heading's anchor as GitHub and the generators of documentation make it; how they treat runs of dashes differs. */
function anchorOf(heading: string): string {
  return heading
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\s\{#[^{}]*\}\s*$/, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** The `id` of `A heading {#id}`. */
function explicitAnchor(heading: string): string | undefined {
  return /\s\{#([^{}\s]+)[^{}]*\}\s*$/.exec(heading)?.[1]
}
