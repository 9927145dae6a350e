import type { PageText } from '../../app/read/page-note.ts'
import type { MarkdownNode } from './markdown.ts'
import { type ParseOptions, parseMarkdown } from './markdown-tree.ts'

const FORMULAS = './formula.js'

/** The messages for each note: `begun` once everything is loaded, then the result, or `undefined` if the note is too large. */
export type WorkerMessage = 'begun' | readonly MarkdownNode[] | undefined

async function parse(note: PageText): Promise<void> {
  // Loaded only if a note has formulas, because it is as large as the rest of the page. If it fails, formulas are shown as source.
  const options: ParseOptions = note.formulas.length === 0 ? {} : await import(FORMULAS).catch(() => ({}))
  postMessage('begun' satisfies WorkerMessage)
  postMessage(parseMarkdown(note, options) satisfies WorkerMessage)
}

// Parses notes sent by the page, one at a time, without blocking it. The page terminates this worker if it takes too long.
addEventListener('message', ({ data }: MessageEvent<PageText>) => void parse(data))
