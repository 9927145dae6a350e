import type { Flavor, MalformedPart, Note, Task } from '../core/note.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import { scanBlocks } from './blocks.ts'
import { pairComments, rangeLookup } from './comments.ts'
import { type ReadFrontmatter, readFrontmatter } from './frontmatter/frontmatter.ts'
import { addPropertyTags, aliasesOf, type PropertyContext, propertyLinks, titleOf } from './frontmatter/properties.ts'
import { type FoundTag, InlineScanner } from './inline.ts'
import { LineIndex } from './line-index.ts'
import { type Destinations, LinkSink, type MutableLink } from './link-sink.ts'
import { logseqProperties, type MarkedTask, markedTasks } from './logseq.ts'
import { headingOf, headingRuns } from './outline.ts'
import type { Run } from './prose/runs.ts'
import { TagSet } from './tags.ts'

/** Parses a note. Mistakes are reported in `malformed`, never thrown. */
export function parseNote(text: string, flavorSettings: Flavor): Note {
  const flavor: Flavor = flavorSettings.profile === 'obsidian' ? { ...flavorSettings, mode: 'obsidian' } : flavorSettings
  const context = { text, flavor, lines: new LineIndex() }
  const front = readFrontmatter(text, flavor, context.lines)
  const body = scanBody(text, front.end, context)
  return flavor.mode === 'logseq' ? noteOf(withPageProperties(front, body, text), body, context) : noteOf(front, body, context)
}

function withPageProperties(front: ReadFrontmatter, body: Body, text: string): ReadFrontmatter {
  const page = logseqProperties(text, body.firstRun)
  return { ...front, properties: { ...front.properties, ...page.properties }, tags: [...front.tags, ...page.texts] }
}

function noteOf(front: ReadFrontmatter, body: Body, context: PropertyContext): Note {
  const { texts, properties } = front
  const tags = new TagSet()
  addPropertyTags(front.tags, context, tags)
  for (const { name, at } of body.tags) tags.add(name, context.lines.lineAt(at), true)
  const links = propertyLinks(texts, context).map(({ link }) => link)
  const title = titleOf(properties)
  const h1 = body.headings.find((heading) => heading.level === 1 && heading.text !== '')?.text
  const note: { -readonly [Key in keyof Note]: Note[Key] } = {
    aliases: aliasesOf(front.saved ?? properties, context.flavor.profile),
    tags: tags.list(),
    properties,
    links: links.length === 0 ? body.links : [...links, ...body.links],
    headings: body.headings,
    blocks: body.blocks,
    tasks: body.tasks,
    bodyStart: front.end,
    malformed: malformedParts(front, context),
    style: body.style,
  }
  if (title !== undefined) note.title = title
  if (h1 !== undefined) note.h1 = h1
  return note
}

function malformedParts(front: ReadFrontmatter, context: PropertyContext): readonly MalformedPart[] {
  const hints = front.texts.length === 0 ? [] : unquotedHints(front, context)
  const nul = context.text.indexOf('\0')
  if (nul !== -1) hints.push({ line: context.lines.lineAt(nul), message: NUL })
  if (isOneLine(context.text)) hints.push({ line: 1, message: CARRIAGE_RETURNS })
  return hints.length === 0 ? front.malformed : [...front.malformed, ...hints]
}

const NUL = 'The file contains a NUL character: it is damaged or not saved as UTF-8.'

const CARRIAGE_RETURNS =
  'Lines end in carriage returns alone, so the file is read as one line. Save it with the line ends LF or CRLF.'

function isOneLine(text: string): boolean {
  return !text.includes('\n') && /\r./s.test(text)
}

/** Returns hints about unquoted `[[a]]`, which the lenient profile reads as links and Obsidian does not. */
function unquotedHints({ texts }: ReadFrontmatter, { flavor, lines }: PropertyContext): MalformedPart[] {
  if (flavor.profile === 'obsidian') return []
  return texts
    .filter(({ unquoted }) => unquoted)
    .map(({ key, value, start }) => ({
      line: lines.lineAt(start),
      message: `The link in property "${key}" has no quotes, so other tools do not see it. Write "${value}" in quotes.`,
    }))
}

export interface Body extends Pick<Note, 'links' | 'headings' | 'blocks' | 'tasks' | 'style'> {
  /** The tags in order, with duplicates. */
  readonly tags: readonly FoundTag[]
  readonly vaultLinks: LinkSink['vaultLinks']
  readonly firstRun: Run | undefined
}

export interface BodyContext {
  readonly flavor: Flavor
  readonly lines: LineIndex
  readonly destinations?: Destinations
}

export function scanBody(text: string, from: number, { flavor, lines, destinations }: BodyContext): Body {
  const { runs, definitions, boxes, fences } = scanBlocks(text, from, lines, { isOutline: flavor.mode === 'logseq' })
  const sink = new LinkSink(lines, flavor.profile === 'lenient' && text.includes('::', from), destinations)
  const scanner = new InlineScanner(flavor, definitions, sink)
  for (const run of runs) scanner.scan(text, run)
  const { links, wikilinks, relativeLinks } = sink
  if (sink.isUnsorted) links.sort((a, b) => a.start - b.start)
  const comments = pairComments(scanner.commentMarks)
  if (flavor.comments) markComments(links, comments)
  const tasks = boxes.map((at) => ({ line: lines.lineAt(at), state: stateOf(text.charAt(at + 1)) }))
  return {
    links: flavor.comments ? links : outside(comments, links, ({ start }) => start),
    tags: flavor.comments ? scanner.tags : outside(comments, scanner.tags, ({ at }) => at),
    headings: headingRuns(runs, comments).map((run) => headingOf(text, run, lines)),
    blocks: scanner.blocks,
    tasks: flavor.mode === 'logseq' ? withMarked(tasks, markedTasks(text, from, fences), lines) : tasks,
    style: { wikilinks, relativeLinks },
    vaultLinks: sink.vaultLinks,
    firstRun: runs[0],
  }
}

function stateOf(mark: string): Task['state'] {
  if (mark === ' ') return 'open'
  return mark === 'x' || mark === 'X' ? 'done' : 'other'
}

function withMarked(tasks: readonly Task[], markedTasks: readonly MarkedTask[], lines: LineIndex): readonly Task[] {
  if (markedTasks.length === 0) return tasks
  return [...tasks, ...markedTasks.map(({ at, state }) => ({ line: lines.lineAt(at), state }))].sort((a, b) => a.line - b.line)
}

function markComments(links: readonly MutableLink[], comments: readonly TextRange[]): void {
  if (comments.length === 0) return
  const commented = rangeLookup(comments)
  for (const link of links) if (commented(link.start) !== undefined) link.inComment = true
}

function outside<T>(comments: readonly TextRange[], items: readonly T[], placeOf: (item: T) => number): readonly T[] {
  if (comments.length === 0) return items
  const commented = rangeLookup(comments)
  return items.filter((item) => commented(placeOf(item)) === undefined)
}
