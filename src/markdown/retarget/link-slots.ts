import type { Flavor, Link, Mode } from '../../core/note.ts'
import type { FindSlots, LinkSlots, PlacedLink, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import { once } from '../../core/waiting.ts'
import { rowTest } from '../blocks.ts'
import type { WrittenDestination } from '../destinations.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import { propertyLinks } from '../frontmatter/properties.ts'
import { type CanvasNode, readCanvasNodes } from '../json-canvas/canvas-json.ts'
import { LineIndex } from '../line-index.ts'
import type { Destinations } from '../link-sink.ts'
import { scanBody } from '../parse-note.ts'
import { isUrl, splitWikilink, subpathAt, type Wikilink, wikilinkEnd } from '../wikilinks.ts'
import { destinationSlots, htmlDestination, markdownDestination } from './destination-slots.ts'
import { cardPassage, type Passage, propertyPassage, slotsInFile, stringSlot, unquotedValue } from './passages.ts'

export function slotsOfNote(text: string, flavor: Flavor): FindSlots {
  return slotTable(() => {
    const destinations: Destinations = new Map()
    const context = { text, flavor, lines: new LineIndex(), destinations }
    const frontmatter = readFrontmatter(text, flavor, context.lines)
    const inProperties = propertyLinks(frontmatter.texts, context).map((propertyLink): SlotEntry => {
      const { link, inValue } = propertyLink
      const findSlots = () => {
        const passage = propertyPassage(text, propertyLink)
        const slots = passage && slotsInPassage(passage, inValue, { written: destinations.get(inValue), flavor })
        const unquoted = slots && unquotedValue(text, propertyLink.text, { frontmatter, flavor })
        return slots === undefined || unquoted === undefined ? slots : { ...slots, unquoted }
      }
      return [link, findSlots]
    })
    const isInTable = rowTest(text, frontmatter.end)
    const inBody = scanBody(text, frontmatter.end, context).links.map((link): SlotEntry => {
      return [link, () => slotsAt(text, link, { written: destinations.get(link), flavor, isInTable })]
    })
    return [...inProperties, ...inBody]
  })
}

export function slotsOfCanvas(text: string, flavor: Flavor): FindSlots {
  return slotTable(() => {
    const read = readCanvasNodes(text)
    return 'malformed' in read ? [] : read.nodes.flatMap((node) => [...fileSlots(text, node), ...cardSlots(text, node, flavor)])
  })
}

function fileSlots(text: string, { file, subpath }: CanvasNode): readonly SlotEntry[] {
  if (file === undefined) return []
  const part = subpath === undefined || subpath.value === '' ? undefined : subpath.value.replace(/^#/, '')
  const slots = {
    target: stringSlot(text, file),
    ...(subpath === undefined || part === undefined
      ? {}
      : { subpath: stringSlot(text, subpath, subpath.value === part ? '' : '#') }),
    shown: { start: file.start, end: file.end },
  }
  return [[{ form: 'canvas', start: file.start, target: file.value, subpath: part }, () => slots]]
}

function cardSlots(text: string, { text: card }: CanvasNode, flavor: Flavor): readonly SlotEntry[] {
  if (card === undefined) return []
  const passage = cardPassage(text, card)
  const destinations: Destinations = new Map()
  const isInTable = rowTest(card.value, 0)
  return scanBody(card.value, 0, { flavor, lines: new LineIndex(), destinations }).links.map((link) => {
    const how = { written: destinations.get(link), flavor, isInTable }
    return [{ ...link, start: passage.sourceOf(link.start) }, () => slotsInPassage(passage, link, how)]
  })
}

type SlotEntry = readonly [
  link: Pick<PlacedLink, 'form' | 'start' | 'target' | 'subpath'>,
  findSlots: () => LinkSlots | undefined,
]

/** Links in an escaped property share one position, so equal links are matched in order. */
function slotTable(read: () => readonly SlotEntry[]): FindSlots {
  const keyOf = ({ form, start, target, subpath }: SlotEntry[0]) => JSON.stringify([form, start, target, subpath])
  const table = once(() => {
    const entries = new Map<string, SlotEntry[1][]>()
    for (const [link, findSlots] of read()) {
      const slotsForKey = entries.get(keyOf(link))
      if (slotsForKey === undefined) entries.set(keyOf(link), [findSlots])
      else slotsForKey.push(findSlots)
    }
    return entries
  })
  return (link) => {
    const slotsForKey = table().get(keyOf(link))
    return (slotsForKey !== undefined && slotsForKey.length > 1 ? slotsForKey.shift() : slotsForKey?.[0])?.()
  }
}

interface WrittenLink {
  readonly written: WrittenDestination | undefined
  readonly flavor: Flavor
  readonly isInTable?: (offset: number) => boolean
}

function slotsInPassage(passage: Passage, link: Link, how: WrittenLink): LinkSlots | undefined {
  const slots = slotsAt(passage.text, link, how)
  return slots && slotsInFile(slots, passage)
}

function slotsAt(text: string, link: Link, { written, flavor, isInTable }: WrittenLink): LinkSlots | undefined {
  if (written === undefined) {
    const bar = () => (isInTable?.(link.start) ? '\\|' : '|')
    return wikilinkSlots(text, { start: link.start, end: link.end }, { bar, mode: flavor.mode })
  }
  const range = { start: link.start, end: link.end }
  const destination =
    link.form === 'html'
      ? htmlDestination(text, written, range)
      : markdownDestination(text, written, link.form === 'markdown' ? range : undefined)
  return destinationSlots(destination, link, flavor.mode === 'docs')
}

interface WikilinkStyle {
  /** Returns the separator before a display text. */
  bar(): string
  readonly mode: Mode
}

function wikilinkSlots(text: string, range: TextRange, { bar, mode }: WikilinkStyle): LinkSlots | undefined {
  const open = text.indexOf('[[', range.start)
  if (open === -1 || open > range.start + 1 || wikilinkEnd(text, open, range.end) !== range.end) return undefined
  const content = text.slice(open + 2, range.end - 2)
  const parts = splitWikilink(content, mode)
  const headEnd = headLength(content)
  const hash = subpathAt(content.slice(0, headEnd), mode)
  const at = open + 2
  const slot = (from: number, to: number, part: 'target' | 'subpath'): TextSlot => {
    const inner = content.slice(from, to)
    const start = from + inner.length - inner.trimStart().length
    const end = inner.trim() === '' ? start : from + inner.trimEnd().length
    const write = (value: string): string | undefined => {
      const edited = content.slice(0, start) + value + content.slice(end)
      const expected = part === 'subpath' ? content.slice(from, start) + value : value
      return matchesWikilink(edited, { ...parts, [part]: expected }, mode) ? value : undefined
    }
    return { start: at + start, end: at + end, write }
  }
  const target = slot(0, hash === -1 ? headEnd : hash, 'target')
  const slots = hash === -1 ? { target, shown: range } : { target, subpath: slot(hash + 1, headEnd, 'subpath'), shown: range }
  if (parts.display !== undefined || open !== range.start) return slots
  const display = content.trim()
  const end = target.start + display.length
  const write = (value: string): string | undefined => {
    const edited = value + text.slice(target.end, end) + bar() + display
    return matchesWikilink(edited, { ...parts, target: value, display }, mode) ? edited : undefined
  }
  return { ...slots, shownTarget: { start: target.start, end, write } }
}

function headLength(content: string): number {
  const pipe = content.indexOf('|', 1)
  if (pipe === -1) return content.length
  return content[pipe - 1] === '\\' ? pipe - 1 : pipe
}

function matchesWikilink(content: string, expected: Wikilink, mode: Mode): boolean {
  const link = `[[${content}]]`
  if (wikilinkEnd(link, 0, link.length) !== link.length) return false
  const { target, subpath, display } = splitWikilink(content, mode)
  if (target.startsWith('|') || isUrl(target)) return false
  return target === expected.target && subpath === expected.subpath && display === expected.display
}
