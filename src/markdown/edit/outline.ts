import type { Heading } from '../../core/note.ts'
import { scanBlocks } from '../blocks.ts'
import { pairComments, rangeLookup } from '../comments.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'
import { InlineScanner } from '../inline.ts'
import { LineIndex } from '../line-index.ts'
import { LinkSink } from '../link-sink.ts'
import { headingText, type Run } from '../prose/runs.ts'
import { addLinesAbove } from '../sections.ts'
import { READING } from './reading.ts'

export interface OutlineHeading extends Heading {
  /** The texts of the headings around it, from the outside in, and its own. */
  readonly path: readonly string[]
  /** The range of its text as written, without marks and closing `#`s. */
  readonly start: number
  readonly end: number
}

export interface Outline {
  readonly bodyStart: number
  readonly lines: LineIndex
  /** In order; none from code or comments. */
  readonly headings: readonly OutlineHeading[]
  /** Ids of `^blocks`, without `^`, as often as they are written. */
  readonly blocks: readonly string[]
}

/** Reads the headings and block ids of a text. */
export function outlineOf(text: string): Outline {
  const bodyStart = bodyStartOf(text)
  const lines = new LineIndex()
  addLinesAbove(lines, text, bodyStart)
  const { runs, definitions } = scanBlocks(text, bodyStart, lines)
  const scanner = new InlineScanner(READING, definitions, new LinkSink(lines, false))
  for (const run of runs) scanner.scan(text, run)
  const commented = rangeLookup(pairComments(scanner.commentMarks))
  const headings = runs.filter(({ kind, start }) => kind === 'heading' && !commented(start))
  return { bodyStart, lines, headings: withPaths(headings.map((run) => headingOf(text, run, lines))), blocks: scanner.blocks }
}

type Found = Omit<OutlineHeading, 'path'>

function headingOf(text: string, run: Run, lines: LineIndex): Found {
  return { level: run.level, text: headingText(text, run), line: lines.lineAt(run.start), start: run.start, end: run.end }
}

function withPaths(headings: readonly Found[]): readonly OutlineHeading[] {
  const around: Found[] = []
  return headings.map((heading) => {
    while (around.length > 0 && (around.at(-1)?.level ?? 0) >= heading.level) around.pop()
    around.push(heading)
    return { ...heading, path: around.map(({ text }) => text) }
  })
}
