import type { Heading, Note } from '../core/note.ts'
import { anchorOf, foldHeadingLink, subpathParts } from '../core/text/link-text.ts'
import { once } from '../core/waiting.ts'

export type Anchors = Pick<Note, 'headings' | 'blocks'>

/**
 * Returns a test for subpaths. As in Obsidian, case and punctuation do not matter, and `A#C` matches a heading C anywhere below
 * A. Web anchors (`what-is-new`, `{#id}`) also match.
 */
export function subpathTest({ headings, blocks }: Anchors): (subpath: string) => boolean {
  const folded = once(() => headings.map(({ text }) => foldHeadingLink(text)))
  const texts = once(() => new Set(folded()))
  const ids = once(() => new Set(blocks.map((block) => block.toLowerCase())))
  const anchors = once(() => anchorsOf(headings))
  return (subpath) => {
    const parts = subpathParts(subpath)
    const last = parts.at(-1)?.trim()
    // The fragment `#top` is always valid (HTML standard, "scroll to the fragment").
    if (last === undefined || (parts.length === 1 && last === 'top')) return true
    if (last.startsWith('^')) return ids().has(last.slice(1).toLowerCase())
    const names = parts.map(foldHeadingLink)
    if (parts.length === 1) return texts().has(names[0] ?? '') || anchors().has(last)
    return names.every((name) => texts().has(name)) && headingPath(headings, folded(), names) !== undefined
  }
}

export interface NamedHeadings {
  /** The value is `anchor` if the last heading matches by its web anchor. */
  readonly by: 'text' | 'anchor'
  /** The heading indexes, one per part of the subpath. The last one is the link's target. */
  readonly at: readonly number[]
}

/** Returns the first match, or `undefined` for a block, the top of the note or no match. */
export function namedHeadings(subpath: string, headings: readonly Heading[]): NamedHeadings | undefined {
  const parts = subpathParts(subpath)
  const last = parts.at(-1)?.trim()
  if (last === undefined || last.startsWith('^')) return undefined
  const folded = headings.map(({ text }) => foldHeadingLink(text))
  const path = headingPath(headings, folded, parts.map(foldHeadingLink))
  if (path !== undefined) return { by: 'text', at: path }
  const index = parts.length === 1 ? anchorIndex(headings, last) : -1
  return index === -1 ? undefined : { by: 'anchor', at: [index] }
}

function headingPath(
  headings: readonly Heading[],
  folded: readonly string[],
  names: readonly string[],
): readonly number[] | undefined {
  const open: { readonly level: number; readonly met: readonly number[] }[] = []
  for (const [index, { level }] of headings.entries()) {
    while ((open.at(-1)?.level ?? 0) >= level) open.pop()
    const above = open.at(-1)?.met ?? NONE
    const matched = folded[index] === names[above.length] ? [...above, index] : above
    if (matched !== above && matched.length === names.length) return matched
    open.push({ level, met: matched })
  }
  return undefined
}

const NONE: readonly number[] = []

/** Returns a lookup of web anchors. Site generators number duplicate ones. */
function anchorsOf(headings: readonly Heading[]): { has(anchor: string): boolean } {
  const explicit = new Set(headings.map(({ text }) => explicitAnchor(text)))
  const counts = new Map<string, number>()
  for (const { text } of headings) {
    const anchor = anchorOf(text)
    counts.set(anchor, (counts.get(anchor) ?? 0) + 1)
  }
  return {
    has: (anchor) => {
      const foldedAnchor = anchorOf(anchor)
      return explicit.has(anchor) || counts.has(foldedAnchor) || (counts.get(foldedAnchor.replace(/[-_]\d+$/, '')) ?? 0) > 1
    },
  }
}

function anchorIndex(headings: readonly Heading[], anchor: string): number {
  const foldedAnchor = anchorOf(anchor)
  const exact = headings.findIndex(({ text }) => explicitAnchor(text) === anchor || anchorOf(text) === foldedAnchor)
  const number = Number(/[-_](\d+)$/.exec(foldedAnchor)?.[1] ?? 0)
  if (exact !== -1 || number === 0) return exact
  const unnumbered = foldedAnchor.replace(/[-_]\d+$/, '')
  const sameAnchor = headings.flatMap(({ text }, index) => (anchorOf(text) === unnumbered ? [index] : []))
  return sameAnchor[number] ?? -1
}

/** Returns `id` for `A heading {#id}`. */
function explicitAnchor(heading: string): string | undefined {
  const text = heading.trimEnd()
  const at = text.lastIndexOf('{#')
  if (at === -1 || !text.endsWith('}') || !/\s/.test(text.charAt(at - 1))) return undefined
  const attributes = text.slice(at + 2, -1)
  return /[{}]/.test(attributes) ? undefined : /^\S+/.exec(attributes)?.[0]
}
