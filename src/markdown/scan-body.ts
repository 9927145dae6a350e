import type { Flavour, Heading, Link, Note } from '../core/note.ts'
import { maskGaps, type Run, scanBlocks } from './blocks.ts'
import { pairComments, rangeLookup } from './comments.ts'
import { type FoundTag, InlineScanner } from './inline.ts'
import type { LineIndex } from './line-index.ts'

/** What the Markdown after the frontmatter says. */
export interface Body {
  readonly links: readonly Link[]
  /** Every occurrence, in order. */
  readonly tags: readonly FoundTag[]
  readonly headings: readonly Heading[]
  readonly blocks: readonly string[]
  readonly style: Note['style']
  readonly firstRun: Run | undefined
}

/** Reads the Markdown of `text` from `from` on; adds its lines to `lines`. */
export function scanBody(text: string, from: number, context: { flavour: Flavour; lines: LineIndex }): Body {
  const { flavour, lines } = context
  const { runs, definitions } = scanBlocks(text, from, lines)
  const scanner = new InlineScanner({ flavour, definitions, lines, fields: text.includes('::', from) })
  const headings: Heading[] = []
  for (const run of runs) {
    if (run.kind === 'heading') headings.push(headingOf(text, run, lines))
    scanner.scan(text, run)
  }
  const { links, blocks, wikilinks, relativeLinks } = scanner
  if (scanner.disordered) links.sort((a, b) => a.start - b.start)
  const seen = withComments(scanner, flavour.comments)
  return { links: seen.links, tags: seen.tags, headings, blocks, style: { wikilinks, relativeLinks }, firstRun: runs[0] }
}

function headingOf(text: string, run: Run, lines: LineIndex): Heading {
  const source = run.gaps ? maskGaps(text, run.start, run.end, run.gaps) : text.slice(run.start, run.end)
  const heading = source.includes('\n') ? source.replace(/\s*\n\s*/g, ' ') : source
  return { level: run.level, text: heading.trim(), line: lines.lineAt(run.start) }
}

/** Marks the links in comments, or leaves out what stands in them. */
function withComments(scanner: InlineScanner, keep: boolean): { links: readonly Link[]; tags: readonly FoundTag[] } {
  const ranges = pairComments(scanner.commentMarks)
  if (ranges.length === 0) return scanner
  const commented = rangeLookup(ranges)
  if (keep) {
    for (const link of scanner.links) if (commented(link.start)) link.inComment = true
    return scanner
  }
  const taggedInComment = rangeLookup(ranges)
  return {
    links: scanner.links.filter((link) => !commented(link.start)),
    tags: scanner.tags.filter((tag) => !taggedInComment(tag.at)),
  }
}
