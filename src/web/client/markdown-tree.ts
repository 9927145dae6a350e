import type { ElementContent, RootContent } from 'hast'
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import type { Text } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import type { PageText } from '../../app/read/page-note.ts'
import type { readFormula as readTex } from './formula.ts'
import type { MarkdownElement, MarkdownNode } from './markdown.ts'

// The placeholders are private-use characters, which do not interfere with tables or code.
const [OPEN, CLOSE, CLOSE_FORMULA] = ['\u{E000}', '\u{E001}', '\u{E002}']
const MARKS = /[\u{E000}-\u{E002}]/gu
const FORMULA = /\u{E000}(\d+)\u{E002}/gu

const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

// The schema is a second safeguard. The parser already drops raw HTML.
const SCHEMA = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
}

/** Matches deeply nested quotes and lists, which take minutes to parse, or overflow the stack. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}|^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/m
/** Deeper or larger documents slow down browsers. */
const MAX_DEPTH = 200
const MAX_ELEMENTS = 20_000

export interface ParseOptions {
  /** The maximum number of lines and special characters. Parsing can take quadratic time. By default, there is no limit. */
  readonly maxMarks?: number
  /** Converts a formula. If omitted, formulas are shown as source. */
  readonly readFormula?: typeof readTex
}

const MARK = /[!#$&*+<=>@[\\\]^_`{|}~\n-]/g

/** Parses a note, which can take minutes without `maxMarks`. @returns undefined if the text or the result is too large */
export function parseMarkdown(note: PageText, { maxMarks, readFormula }: ParseOptions = {}): readonly MarkdownNode[] | undefined {
  if (TOO_DEEP.test(note.text)) return undefined
  const { text, formulas } = withSlots(note)
  if (maxMarks !== undefined && (text.match(MARK)?.length ?? 0) > maxMarks) return undefined
  try {
    const handlers = note.breaks ? { text: withBreaks } : {}
    const { children } = sanitize(toHast(fromMarkdown(text, GFM), { handlers }), SCHEMA) as {
      readonly children: readonly RootContent[]
    }
    const definitions = {}
    let elements = 0
    const formulaOf = (number: string): MarkdownNode => {
      const source = formulas[Number(number)] ?? ''
      const display = source.startsWith('$$')
      const tex = display ? source.slice(2, -2) : source.slice(1, -1)
      // Text such as `$5 and $10` is not a formula, so invalid TeX stays as written.
      const formula = readFormula?.(tex, display, definitions) ?? source
      elements += sizeOf([formula])
      if (elements > MAX_ELEMENTS) throw new RangeError('too much')
      return formula
    }
    const nodes = converted(children, { hidesBlockIds: note.breaks, formulas, formulaOf })
    return sizeOf(nodes) > MAX_ELEMENTS ? undefined : nodes
  } catch (error) {
    // The nodes are nested too deeply, or there are too many of them.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Conversion {
  readonly hidesBlockIds: boolean
  readonly formulas: readonly string[]
  formulaOf(number: string): MarkdownNode
}

/** @throws RangeError if the nodes are nested too deeply */
function converted(nodes: readonly RootContent[], conversion: Conversion, depth = 0): readonly MarkdownNode[] {
  if (depth > MAX_DEPTH) throw new RangeError('too deep')
  return nodes.flatMap((node): readonly MarkdownNode[] => {
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

/** Returns properties, such as alternative texts, with formulas as source. */
function withSources(properties: MarkdownElement['properties'], { formulas }: Conversion): MarkdownElement['properties'] {
  const withSource = (value: unknown): unknown =>
    typeof value === 'string' ? value.replace(FORMULA, (_, number) => formulas[Number(number)] ?? '') : value
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, withSource(value)]))
}

/** Converts `==text==`, the highlight syntax of Obsidian. Both markers must be in the same element. */
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
  return result.length === pieces.length ? children : result
}

function sizeOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((sum, node) => (typeof node === 'string' ? sum : sum + 1 + sizeOf(node.children)), 0)
}

/** Matches a marker, which consists of exactly two equals signs. */
const HIGHLIGHT = /((?<!=)==(?!=))/

const BLOCKS: ReadonlySet<string> = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

function withoutBlockId(children: readonly MarkdownNode[]): readonly MarkdownNode[] {
  const last = children.at(-1)
  return typeof last === 'string' ? [...children.slice(0, -1), last.replace(/(?:^|\s)\^[\w-]+\s*$/, '')] : children
}

function withBreaks(_: unknown, { value }: Text): ElementContent[] {
  const lines = value.split('\n').flatMap((line): ElementContent[] => [...BREAK, { type: 'text', value: line }])
  return lines.slice(BREAK.length)
}

const BREAK: readonly ElementContent[] = [
  { type: 'element', tagName: 'br', properties: {}, children: [] },
  { type: 'text', value: '\n' },
]

/** Removes comments, and replaces formulas and internal links with placeholders. Line numbers stay the same. */
function withSlots({ text, links, comments, formulas }: PageText) {
  let result = ''
  let at = 0
  const replaced = [
    ...links.map((link, number) => ({ ...link, mark: OPEN + number + CLOSE })),
    ...comments.map((range) => ({ ...range, form: undefined, mark: '' })),
    ...formulas.map((range, number) => ({ ...range, form: undefined, mark: OPEN + number + CLOSE_FORMULA })),
  ]
  for (const { start, end, form, mark } of replaced.sort((a, b) => a.start - b.start)) {
    // Reference links are kept, because their definition is elsewhere. HTML is dropped later.
    if (start < at || form === 'reference' || form === 'html') continue
    // Line breaks and blockquote markers stay, so later lines keep their numbers.
    result += text.slice(at, start).replace(MARKS, '') + mark + (text.slice(start, end).match(LINE_STARTS) ?? []).join('')
    at = end
  }
  const sources = formulas.map(({ start, end }) => text.slice(start, end).replace(LINE_STARTS, '\n'))
  return { text: result + text.slice(at).replace(MARKS, ''), formulas: sources }
}

const LINE_STARTS = /\n(?:[ \t]*>)*/g
