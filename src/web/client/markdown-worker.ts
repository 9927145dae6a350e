import type { PageText } from '../../app/read/page-note.ts'
import type { MarkdownNode } from './markdown.ts'
import { type ParseOptions, parseMarkdown } from './markdown-tree.ts'

const FORMULAS = './formula.js'

/** A message of the worker. `begun` is sent when everything is loaded. The result is `undefined` if the note is too large. */
export type WorkerMessage = 'begun' | readonly MarkdownNode[] | undefined

async function parse(note: PageText): Promise<void> {
  // The library is loaded on demand, because it is as large as the rest of the page. If loading fails, formulas are shown as
  // source.
  const options: ParseOptions = note.formulas.length === 0 ? {} : await import(FORMULAS).catch(() => ({}))
  postMessage('begun' satisfies WorkerMessage)
  postMessage(parseMarkdown(note, options) satisfies WorkerMessage)
}

// The worker parses one note at a time. The page terminates a worker that takes too long.
addEventListener('message', ({ data }: MessageEvent<PageText>) => void parse(data))
