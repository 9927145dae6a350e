import type { Flavour, Heading, Link, Note, Task } from '../core/note.ts'
import { scanBlocks } from './blocks.ts'
import { pairComments, type Range, rangeLookup } from './comments.ts'
import { type FoundTag, InlineScanner } from './inline.ts'
import type { LineIndex } from './line-index.ts'
import { type Destinations, LinkSink, type MutableLink } from './link-sink.ts'
import { type MarkedTask, markedTasks } from './logseq.ts'
import { headingOf, headingRuns } from './outline.ts'
import type { Run } from './prose/runs.ts'

/** What the Markdown after the frontmatter says. */
export interface Body {
  readonly links: readonly Link[]
  /** Every occurrence, in order. */
  readonly tags: readonly FoundTag[]
  readonly headings: readonly Heading[]
  readonly blocks: readonly string[]
  readonly tasks: readonly Task[]
  readonly style: Note['style']
  readonly vaultLinks: LinkSink['vaultLinks']
  readonly firstRun: Run | undefined
}

export interface BodyContext {
  readonly flavour: Flavour
  readonly lines: LineIndex
  /** Filled when given. */
  readonly destinations?: Destinations
}

/** Reads the Markdown of `text` from `from` on; adds its lines to `lines`. */
export function scanBody(text: string, from: number, { flavour, lines, destinations }: BodyContext): Body {
  const { runs, definitions, boxes, fences } = scanBlocks(text, from, lines, { isOutline: flavour.mode === 'logseq' })
  const sink = new LinkSink(lines, flavour.profile === 'lenient' && text.includes('::', from), destinations)
  const scanner = new InlineScanner(flavour, definitions, sink)
  for (const run of runs) scanner.scan(text, run)
  const { links, wikilinks, relativeLinks } = sink
  if (sink.disordered) links.sort((a, b) => a.start - b.start)
  const comments = pairComments(scanner.commentMarks)
  if (flavour.comments) markComments(links, comments)
  const tasks = boxes.map((at) => ({ line: lines.lineAt(at), state: stateOf(text.charAt(at + 1)) }))
  return {
    links: flavour.comments ? links : outside(comments, links, ({ start }) => start),
    tags: flavour.comments ? scanner.tags : outside(comments, scanner.tags, ({ at }) => at),
    headings: headingRuns(runs, comments).map((run) => headingOf(text, run, lines)),
    blocks: scanner.blocks,
    tasks: flavour.mode === 'logseq' ? withMarked(tasks, markedTasks(text, from, fences), lines) : tasks,
    style: { wikilinks, relativeLinks },
    vaultLinks: sink.vaultLinks,
    firstRun: runs[0],
  }
}

function stateOf(mark: string): Task['state'] {
  if (mark === ' ') return 'open'
  return mark === 'x' || mark === 'X' ? 'done' : 'other'
}

/** Tasks of boxes and of words, in order of their lines. */
function withMarked(tasks: readonly Task[], marked: readonly MarkedTask[], lines: LineIndex): readonly Task[] {
  if (marked.length === 0) return tasks
  return [...tasks, ...marked.map(({ at, state }) => ({ line: lines.lineAt(at), state }))].sort((a, b) => a.line - b.line)
}

function markComments(links: readonly MutableLink[], comments: readonly Range[]): void {
  if (comments.length === 0) return
  const commented = rangeLookup(comments)
  for (const link of links) if (commented(link.start) !== undefined) link.inComment = true
}

function outside<T>(comments: readonly Range[], found: readonly T[], placeOf: (item: T) => number): readonly T[] {
  if (comments.length === 0) return found
  const commented = rangeLookup(comments)
  return found.filter((item) => commented(placeOf(item)) === undefined)
}
