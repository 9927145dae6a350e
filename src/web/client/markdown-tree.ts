import type { RootContent } from 'hast'
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import type { RootContent as RootNode } from 'mdast'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { type Processor, unified } from 'unified'
import type { PageLink, PageText } from '../../app/read/page-note.ts'
import type { MarkdownNode, MarkdownTree } from './markdown-nodes.ts'

// A private-use character on each side: what stands for a link can be in no table's or code's way.
const [OPEN, CLOSE] = ['\u{E000}', '\u{E001}']
const MARKS = /[\u{E000}\u{E001}]/gu

// Raw HTML never becomes elements: remark-rehype drops it, and this is the second lock.
const processor = unified().use(remarkParse).use(readGfm).use(remarkRehype)
const SCHEMA = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
}

/** Quotes and lists within one another, deeper than anyone reads: the parser would take minutes, or all of the stack. */
const TANGLED = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}|^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/m
/** Elements within one another, and in all, that a browser shows without a pause. */
const DEEPEST = 200
const MOST_ELEMENTS = 20_000

export interface ParseOptions {
  /**
   * Lines and characters that may mean something to Markdown; absent: as many as there are. What the parser takes may grow with the square of them:
   * who cannot end it sets a limit.
   */
  readonly mostMarks?: number
}

const MARK = /[!#$&*+<=>@[\\\]^_`{|}~\n-]/g

/** A note's text as elements; `undefined` for what no browser should lay out. It may take minutes without `mostMarks`. */
export function parseMarkdown(note: PageText, { mostMarks }: ParseOptions = {}): MarkdownTree | undefined {
  if (TANGLED.test(note.text)) return undefined
  const { text, labels } = withSlots(note)
  if (mostMarks !== undefined && (text.match(MARK)?.length ?? 0) > mostMarks) return undefined
  try {
    const parsed = processor.parse(text)
    if (note.breaks) keepLines(parsed)
    const { children } = sanitize(processor.runSync(parsed), SCHEMA) as { readonly children: readonly RootContent[] }
    return { children: new Conversion({ hidesBlockIds: note.breaks }).convert(children, 0), labels }
  } catch (error) {
    // Too deep for the stack, or for what is shown.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Takes over what is shown. */
class Conversion {
  #elements = 0
  readonly #hidesBlockIds: boolean

  constructor({ hidesBlockIds }: { readonly hidesBlockIds: boolean }) {
    this.#hidesBlockIds = hidesBlockIds
  }

  /** @throws RangeError where there is too much */
  convert(nodes: readonly RootContent[], depth: number): readonly MarkdownNode[] {
    if (depth > DEEPEST) throw new RangeError('too deep')
    return nodes.flatMap((node): readonly MarkdownNode[] => {
      if (node.type === 'text') return [node.value]
      if (node.type !== 'element') return []
      this.#elements++
      if (this.#elements > MOST_ELEMENTS) throw new RangeError('too much')
      const { tagName: name, properties, position } = node
      const within = this.convert(node.children, depth + 1)
      const children = this.#hidesBlockIds && BLOCKS.has(name) ? withoutBlockId(within) : within
      return [{ name, properties, line: position?.start.line, children }]
    })
  }
}

const BLOCKS: ReadonlySet<string> = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** What a block says without the name by which links lead to it. */
function withoutBlockId(children: readonly MarkdownNode[]): readonly MarkdownNode[] {
  const last = children.at(-1)
  return typeof last === 'string' ? [...children.slice(0, -1), last.replace(/(?:^|\s)\^[\w-]+\s*$/, '')] : children
}

/** The ends of lines of what is running text become breaks. */
function keepLines(parent: Parent): void {
  parent.children = parent.children.flatMap((child): RootNode[] => {
    if ('children' in child) keepLines(child)
    if (child.type !== 'text') return [child]
    return child.value
      .split('\n')
      .flatMap((value, at): RootNode[] => [
        ...(at === 0 ? [] : [{ type: 'break' as const }]),
        ...(value === '' ? [] : [{ ...child, value }]),
      ])
  })
}

/** Tables, tasks and footnotes; what `remark-gfm` does, without what writes Markdown. */
function readGfm(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [gfm()]
  data.fromMarkdownExtensions = [gfmFromMarkdown()]
}

interface Parent {
  children: RootNode[]
}

/** The text without comments, with a mark in place of each link that leads into the vault, and what each says. */
function withSlots({ text, links, comments }: PageText): { readonly text: string; readonly labels: readonly string[] } {
  let made = ''
  let at = 0
  const labels = links.map((link) => labelOf(text.slice(link.start, link.end), link))
  const slots = links.map(({ start, end, form }, number) => ({ start, end, form, mark: OPEN + number + CLOSE }))
  const replaced = [...slots, ...comments.map((range) => ({ ...range, form: undefined, mark: '' }))]
  for (const { start, end, form, mark } of replaced.sort((a, b) => a.start - b.start)) {
    // References are told apart by their definitions, which stand elsewhere.
    if (start < at || form === 'reference' || form === 'html') continue
    made += text.slice(at, start).replace(MARKS, '') + mark
    at = end
  }
  return { text: made + text.slice(at).replace(MARKS, ''), labels }
}

function labelOf(written: string, { title }: PageLink): string {
  const [, wikilink] = /^!?\[\[[^\]|]*\\?\|([\s\S]*)\]\]$/.exec(written) ?? []
  if (wikilink !== undefined) return wikilink
  const [, target] = /^!?\[\[([\s\S]*)\]\]$/.exec(written) ?? []
  if (target !== undefined) return target
  const [, label] = /^!?\[([\s\S]*?)\]\(/.exec(written) ?? []
  return label === undefined || label === '' ? title : label.replace(/[*_`~]/g, '')
}
