import type { PageText } from '../../app/read/page-note.ts'
import { parseMarkdown } from './markdown-tree.ts'

// Parses what the page sends, one text after another: the page goes on meanwhile, and ends this thread when it takes too long.
addEventListener('message', ({ data }: MessageEvent<PageText>) => postMessage(parseMarkdown(data)))
