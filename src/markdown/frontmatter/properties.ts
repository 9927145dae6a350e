import type { Flavor, Link } from '../../core/note.ts'
import type { WrittenDestination } from '../destinations.ts'
import { InlineScanner } from '../inline.ts'
import { indexLines, type LineIndex } from '../line-index.ts'
import { type Destinations, LinkSink } from '../link-sink.ts'
import type { Run } from '../prose/runs.ts'
import { propertyTag, type TagSet } from '../tags.ts'
import type { PropertyText } from './plain-frontmatter.ts'

type Properties = Readonly<Record<string, unknown>>

function valuesOf(properties: Properties, names: RegExp): readonly unknown[] {
  const values: unknown[] = []
  for (const key in properties) if (names.test(key)) values.push(properties[key])
  return values
}

export function titleOf(properties: Properties): string | undefined {
  for (const value of valuesOf(properties, /^title$/i)) {
    const title = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
    if (title !== '') return title
  }
  return undefined
}

export function aliasesOf(properties: Properties, profile: Flavor['profile']): readonly string[] {
  const lenient = profile === 'lenient'
  const aliases = new Set<string>()
  for (const value of valuesOf(properties, lenient ? /^alias(?:es)?$/i : /^aliases$/i)) addAliases(value, lenient, aliases)
  return [...aliases]
}

/** Adds aliases. The lenient profile also splits text at commas. */
function addAliases(value: unknown, lenient: boolean, aliases: Set<string>): void {
  if (typeof value === 'string') {
    addAlias(value, aliases)
    if (lenient && value.includes(',')) for (const part of value.split(',')) addAlias(part, aliases)
  } else if (Array.isArray(value)) {
    for (const item of value) if (!Array.isArray(item)) addAlias(item, aliases)
  } else addAlias(value, aliases)
}

function addAlias(item: unknown, aliases: Set<string>): void {
  if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean') return
  const alias = String(item).trim()
  if (alias !== '') aliases.add(alias)
}

export function addPropertyTags(texts: readonly PropertyText[], context: PropertyContext, tags: TagSet): void {
  const lenient = context.flavor.profile === 'lenient'
  for (const { key, value, start, nested } of texts) {
    if (nested || !(lenient ? /^tags?$/i : /^tags$/i).test(key)) continue
    for (const part of lenient ? value.split(/[\s,]+/) : [value]) {
      const name = propertyTag(part)
      if (name !== undefined) tags.add(name, context.lines.lineAt(start), false)
    }
  }
}

export interface PropertyContext {
  readonly text: string
  readonly flavor: Flavor
  readonly lines: LineIndex
  readonly destinations?: Destinations
}

const NO_DEFINITIONS: ReadonlyMap<string, WrittenDestination> = new Map()

export function propertyLinks(texts: readonly PropertyText[], context: PropertyContext): readonly PropertyLink[] {
  const links: PropertyLink[] = []
  for (const each of texts) {
    if (!each.value.includes('[[') && !each.value.includes('](')) continue
    if (each.unquoted && context.flavor.profile === 'obsidian') continue
    links.push(...linksIn(each, context))
  }
  return links
}

export interface PropertyLink {
  readonly link: Link
  readonly inValue: Link
  readonly text: PropertyText
  /** True if the link contains no escapes. Otherwise, its position is that of the whole value. */
  readonly isLiteral: boolean
}

/** The maximum number of failed lookups. Each one scans the whole value. */
const MAX_FAILED_LOOKUPS = 100

function linksIn(text: PropertyText, context: PropertyContext): readonly PropertyLink[] {
  const { value, start, end } = text
  const source = context.text.slice(start, end)
  let from = 0
  let unfound = 0
  return linksOfValue(value, context).map((link) => {
    const raw = value.slice(link.start, link.end)
    const at = unfound < MAX_FAILED_LOOKUPS ? source.indexOf(raw, from) : -1
    if (at === -1) {
      unfound++
      return { link: withPosition(link, text, [start, end], context.lines), inValue: link, text, isLiteral: false }
    }
    from = at + raw.length
    return { link: withPosition(link, text, [start + at, start + from], context.lines), inValue: link, text, isLiteral: true }
  })
}

function linksOfValue(value: string, { flavor, destinations }: PropertyContext): readonly Link[] {
  const sink = new LinkSink(indexLines(value), false, destinations)
  const run: Run = { kind: 'text', start: 0, end: value.length, gaps: undefined, heading: undefined }
  new InlineScanner(flavor, NO_DEFINITIONS, sink).scan(value, run)
  const whole = flavor.profile === 'obsidian' ? value.trim() : undefined
  return sink.links.filter((link) => whole === undefined || (link.kind === 'link' && value.slice(link.start, link.end) === whole))
}

function withPosition(link: Link, text: PropertyText, range: readonly [number, number], lines: LineIndex): Link {
  const [start, end] = range
  const line = lines.lineAt(start)
  const column = start - lines.startOf(line) + 1
  return { ...link, kind: 'property', property: text.key, line, column, start, end }
}
