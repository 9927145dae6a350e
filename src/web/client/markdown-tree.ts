import type { RootContent } from 'hast'
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import type { RootContent as RootNode } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import type { PageLink, PageText } from '../../app/read/page-note.ts'
import type { MarkdownElement, MarkdownNode, MarkdownTree } from './markdown-nodes.ts'

// Private-use characters that delimit placeholders for links and formulas, because they interfere with neither tables nor code.
const [OPEN, CLOSE, CLOSE_FORMULA] = ['\u{E000}', '\u{E001}', '\u{E002}']
const MARKS = /[\u{E000}-\u{E002}]/gu
const FORMULA = /\u{E000}(\d+)\u{E002}/gu

/** Tables, tasks and footnotes. */
const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

// Raw HTML never becomes elements. It is dropped from the tree already; this is the second safeguard.
const SCHEMA = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
}

/** Matches quotes and lists that are nested deeper than anyone reads. Parsing them would take minutes or overflow the stack. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}|^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/m
/** Maximum nesting depth and number of elements that a browser shows without delay. */
const MAX_DEPTH = 200
const MAX_ELEMENTS = 20_000

export interface ParseOptions {
  /**
   * Maximum number of lines and special characters. Unlimited by default. Parsing can take quadratic time, so set a limit if the
   * parser cannot be stopped.
   */
  readonly maxMarks?: number
  /** Renders TeX, or returns `undefined` if it is invalid. Without it, formulas are shown as source. */
  readonly readFormula?:
    | ((tex: string, display: boolean, definitions: Record<string, unknown>) => MarkdownElement | undefined)
    | undefined
}

const MARK = /[!#$&*+<=>@[\\\]^_`{|}~\n-]/g

/** Parses a note's text. Returns `undefined` if it is too much for a browser. Can take minutes without `maxMarks`. */
export function parseMarkdown(note: PageText, { maxMarks, readFormula }: ParseOptions = {}): MarkdownTree | undefined {
  if (TOO_DEEP.test(note.text)) return undefined
  const { text, labels, formulas } = withSlots(note)
  if (maxMarks !== undefined && (text.match(MARK)?.length ?? 0) > maxMarks) return undefined
  try {
    const parsed = fromMarkdown(text, GFM)
    if (note.breaks) keepLines(parsed)
    const { children } = sanitize(toHast(parsed), SCHEMA) as { readonly children: readonly RootContent[] }
    const definitions = {}
    let elements = 0
    const formulaOf = (number: string): MarkdownNode => {
      const source = formulas[Number(number)] ?? ''
      const display = source.startsWith('$$')
      const tex = display ? source.slice(2, -2) : source.slice(1, -1)
      // Invalid TeX stays as written, because it is often not a formula: `$5 and $10`.
      const formula = readFormula?.(tex, display, definitions) ?? source
      elements += sizeOf([formula])
      if (elements > MAX_ELEMENTS) throw new RangeError('too much')
      return formula
    }
    const nodes = converted(children, { hidesBlockIds: note.breaks, formulas, formulaOf })
    return sizeOf(nodes) > MAX_ELEMENTS ? undefined : { children: nodes, labels }
  } catch (error) {
    // Too deep for the stack, or for display.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Conversion {
  readonly hidesBlockIds: boolean
  /** Source of each formula. */
  readonly formulas: readonly string[]
  /** Returns a formula, given its number. */
  formulaOf(number: string): MarkdownNode
}

/** Converts the parsed tree to the elements of the page. @throws RangeError if it is too deep */
function converted(nodes: readonly RootContent[], conversion: Conversion, depth = 0): readonly MarkdownNode[] {
  if (depth > MAX_DEPTH) throw new RangeError('too deep')
  return nodes.flatMap((node): readonly MarkdownNode[] => {
    // Every second part is the number of a formula.
    if (node.type === 'text')
      return node.value
        .split(FORMULA)
        .map((part, at) => (at % 2 === 0 ? part : conversion.formulaOf(part)))
        .filter((part) => part !== '')
    if (node.type !== 'element') return []
    const { tagName: name, position } = node
    const properties = withSources(node.properties, conversion)
    const inner = converted(node.children, conversion, depth + 1)
    const within = name === 'code' ? inner : withHighlights(inner)
    const children = conversion.hidesBlockIds && BLOCKS.has(name) ? withoutBlockId(within) : within
    return [{ name, properties, line: position?.start.line, children }]
  })
}

/** Replaces placeholders of formulas with their source, because property values are plain strings. */
function withSources(properties: MarkdownElement['properties'], { formulas }: Conversion): MarkdownElement['properties'] {
  const entries = Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(FORMULA, (_, number) => formulas[Number(number)] ?? '') : value,
  ])
  return Object.fromEntries(entries)
}

/** Handles `==text==`, which Obsidian highlights. Both markers must be in the same element, with no whitespace just inside. */
function withHighlights(children: readonly MarkdownNode[]): readonly MarkdownNode[] {
  const pieces = children.flatMap((child): readonly MarkdownNode[] =>
    typeof child === 'string' ? child.split(HIGHLIGHT).filter(Boolean) : [child],
  )
  const result: MarkdownNode[] = []
  let first: number | undefined
  for (const [at, piece] of pieces.entries()) {
    const isMark = piece === '=='
    if (isMark && first !== undefined && first < result.length - 1 && !/\s$/.test(String(result.at(-1)))) {
      const [, ...within] = result.splice(first)
      result.push({ name: 'mark', properties: {}, line: undefined, children: within })
      first = undefined
      continue
    }
    if (isMark && pieces[at + 1] !== undefined && !/^\s/.test(String(pieces[at + 1]))) first = result.length
    result.push(piece)
  }
  // Without a highlight, texts stay whole.
  return result.length === pieces.length ? children : result
}

/** Returns the number of elements. */
function sizeOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((sum, node) => (typeof node === 'string' ? sum : sum + 1 + sizeOf(node.children)), 0)
}

/** The markers of a highlight. Three or more are not a marker. */
const HIGHLIGHT = /((?<!=)==(?!=))/

const BLOCKS: ReadonlySet<string> = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

function withoutBlockId(children: readonly MarkdownNode[]): readonly MarkdownNode[] {
  const last = children.at(-1)
  return typeof last === 'string' ? [...children.slice(0, -1), last.replace(/(?:^|\s)\^[\w-]+\s*$/, '')] : children
}

/** Converts line breaks in running text to break elements. */
function keepLines(parent: { children: RootNode[] }): void {
  parent.children = parent.children.flatMap((child): RootNode[] => {
    if ('children' in child) keepLines(child)
    if (child.type !== 'text') return [child]
    const lines = child.value.split('\n').flatMap((value): RootNode[] => [{ type: 'break' }, { ...child, value }])
    return lines.slice(1).filter((line) => line.type !== 'text' || line.value !== '')
  })
}

/**
 * Returns the text without comments, with a placeholder for each formula and each link into the vault. Lines keep their numbers. Also
 * returns the label of each link, and the source of each formula without blockquote markers.
 */
function withSlots({ text, links, comments, formulas }: PageText) {
  let result = ''
  let at = 0
  const labels = links.map((link) => labelOf(text.slice(link.start, link.end), link))
  const replaced = [
    ...links.map((link, number) => ({ ...link, mark: OPEN + number + CLOSE })),
    ...comments.map((range) => ({ ...range, form: undefined, mark: '' })),
    ...formulas.map((range, number) => ({ ...range, form: undefined, mark: OPEN + number + CLOSE_FORMULA })),
  ]
  for (const { start, end, form, mark } of replaced.sort((a, b) => a.start - b.start)) {
    // References are identified by definitions elsewhere.
    if (start < at || form === 'reference' || form === 'html') continue
    result += text.slice(at, start).replace(MARKS, '') + mark + linesOf(text.slice(start, end))
    at = end
  }
  const sources = formulas.map(({ start, end }) => text.slice(start, end).replace(LINE_STARTS, '\n'))
  return { text: result + text.slice(at).replace(MARKS, ''), labels, formulas: sources }
}

/** A line break, followed by the blockquote markers of the next line. */
const LINE_STARTS = /\n(?:[ \t]*>)*/g

/** Returns the line breaks and blockquote markers of the replaced text, which keep later line numbers correct. */
function linesOf(replaced: string): string {
  return (replaced.match(LINE_STARTS) ?? []).join('')
}

function labelOf(source: string, { title }: PageLink): string {
  const [, wikilink] = /^!?\[\[(?:[^\]|]*\|)?([\s\S]*)\]\]$/.exec(source) ?? []
  if (wikilink !== undefined) return wikilink
  const [, label] = /^!?\[([\s\S]*?)\]\(/.exec(source) ?? []
  return label === undefined || label === '' ? title : label.replace(/[*_`~]/g, '')
}
