import type { Flavour, Link } from '../../core/note.ts'
import type { FindSlots, LinkSlots, PlacedLink, TextRange } from '../../core/text/link-slots.ts'
import { once } from '../../core/waiting/once.ts'
import { scanBlocks } from '../blocks.ts'
import type { Definition } from '../destinations.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import type { PropertyText } from '../frontmatter/plain-frontmatter.ts'
import { linksOfValue } from '../frontmatter/properties.ts'
import { type CanvasNode, type CanvasText, readCanvasNodes } from '../json-canvas/canvas-json.ts'
import { LineIndex } from '../line-index.ts'
import { cardPassage, stringSlot } from './canvas-passage.ts'
import { htmlSlots, inlineSlots, referenceSlots } from './markdown-slots.ts'
import { literalPassage, type Passage, slotsInFile } from './passage.ts'
import { type PropertyContext, unquotedValue } from './unquoted-value.ts'
import { wikilinkSlots } from './wikilink-slots.ts'
import { literalInScalar, quotedPassage } from './yaml-passage.ts'

type Definitions = () => ReadonlyMap<string, Definition>

/** Finds where the links of a note say what they lead to. Asked in ascending order of their positions, it is linear. */
export function slotsOfNote(text: string, flavour: Flavour): FindSlots {
  const body = literalPassage(text)
  const frontmatter = once(() => readFrontmatter(text, flavour, new LineIndex()))
  const definitions = once(() => scanBlocks(text, frontmatter().end, new LineIndex()).definitions)
  const inProperty = propertyFinder(text, { frontmatter, flavour })
  return (link) => {
    // Fields in the body have the same kind as properties.
    if (link.kind === 'property' && link.start < frontmatter().end) return inProperty(link)
    return slotsInPassage(body, link, { definitions, flavour })
  }
}

/** Finds where the links of a canvas say what they lead to. */
export function slotsOfCanvas(text: string, flavour: Flavour): FindSlots {
  const nodes = once(() => cardsByPlace(text))
  let open: { readonly card: CanvasText; readonly passage: Passage; readonly definitions: Definitions } | undefined
  return (link) => {
    const node = lastBefore(nodes(), link.start, startOf)
    if (link.form === 'canvas') return node === undefined ? undefined : cardSlots(text, node, link)
    if (node?.text === undefined) return undefined
    if (open?.card !== node.text) {
      const { value } = node.text
      const definitions = once(() => scanBlocks(value, 0, new LineIndex()).definitions)
      open = { card: node.text, passage: cardPassage(text, node.text), definitions }
    }
    return slotsInPassage(open.passage, link, { definitions: open.definitions, flavour })
  }
}

function slotsInPassage(
  passage: Passage,
  link: PlacedLink,
  { definitions, flavour }: { readonly definitions: Definitions; readonly flavour: Flavour },
): LinkSlots | undefined {
  const range = { start: passage.offsetOf(link.start), end: passage.offsetOf(link.end) }
  const slots = slotsAt(passage.text, link, { ...range, definitions, query: flavour.mode === 'docs' })
  return slots && slotsInFile(slots, passage)
}

function slotsAt(
  text: string,
  link: PlacedLink,
  place: TextRange & { readonly definitions: Definitions; readonly query: boolean },
): LinkSlots | undefined {
  const sought = { ...place, wanted: link }
  switch (link.form) {
    case 'wikilink':
    case 'page': {
      const slots = wikilinkSlots(text, { start: place.start, end: place.end })
      const target = slots && text.slice(slots.target.start, slots.target.end)
      return target === link.target ? slots : undefined
    }
    case 'markdown':
      return inlineSlots(text, sought)
    case 'reference':
      return referenceSlots(text, sought, place.definitions())
    case 'html':
      return htmlSlots(text, sought)
    case 'canvas':
      return undefined
  }
}

/** A scalar that is written with escapes: its text, and the links in it. */
interface Escaped {
  readonly scalar: PropertyText
  readonly passage: Passage | undefined
  readonly links: readonly Link[]
  next: number
}

/** Finds the slots of links in properties. */
function propertyFinder(text: string, { frontmatter, flavour }: PropertyContext): FindSlots {
  const rest = { definitions: noDefinitions, flavour }
  let open: Escaped | undefined
  return (link) => {
    const scalar = lastBefore(frontmatter().texts, link.start, ({ start }) => start)
    if (scalar === undefined || link.end > scalar.end) return undefined
    // Read as it is written, it stands there; else its scalar is written with escapes.
    const literal = slotsInPassage(literalInScalar(text, scalar), link, rest)
    if (literal !== undefined) {
      const unquoted = unquotedValue(text, scalar, { frontmatter, flavour })
      return unquoted === undefined ? literal : { ...literal, unquoted }
    }
    if (open?.scalar !== scalar) {
      open = { scalar, passage: quotedPassage(text, scalar), links: linksOfValue(scalar.value, flavour), next: 0 }
    }
    const { passage, links, next } = open
    const isSought = ({ form, target, subpath }: Link) => form === link.form && target === link.target && subpath === link.subpath
    // All links of such a scalar have its place: those that say the same are told apart by their order.
    const after = links.findIndex((each, at) => at >= next && isSought(each))
    const found = after === -1 ? links.findIndex(isSought) : after
    const place = links[found]
    if (passage === undefined || place === undefined) return undefined
    open.next = found + 1
    const range = { start: passage.sourceOf(place.start), end: passage.sourceOf(place.end) }
    return slotsInPassage(passage, { ...link, ...range }, rest)
  }
}

const noDefinitions: Definitions = () => new Map()

function cardSlots(text: string, { file, subpath }: CanvasNode, link: PlacedLink): LinkSlots | undefined {
  if (file?.start !== link.start || file.value !== link.target) return undefined
  const target = stringSlot(text, file)
  const shown = { start: file.start, end: file.end }
  if (link.subpath === undefined || subpath === undefined) return { target, shown }
  return { target, subpath: stringSlot(text, subpath, subpath.value.startsWith('#') ? '#' : ''), shown }
}

/** The cards that link, in order of where they say it. */
function cardsByPlace(text: string): readonly CanvasNode[] {
  const read = readCanvasNodes(text)
  if ('malformed' in read) return []
  const single = read.nodes.flatMap(({ file, subpath, text: markdown }): readonly CanvasNode[] => [
    ...(file === undefined ? [] : [subpath === undefined ? { file } : { file, subpath }]),
    ...(markdown === undefined ? [] : [{ text: markdown }]),
  ])
  return single.sort((a, b) => startOf(a) - startOf(b))
}

function startOf(node: CanvasNode): number {
  return (node.file ?? node.text)?.start ?? 0
}

/** The last of the items in ascending order that begins at or before `offset`. */
function lastBefore<T>(items: readonly T[], offset: number, place: (item: T) => number): T | undefined {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && place(item) <= offset) low = middle + 1
    else high = middle
  }
  return items[low - 1]
}
