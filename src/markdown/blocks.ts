import type { TextRange } from '../core/text/link-slots.ts'
import { once } from '../core/waiting.ts'
import { fenceLength, footnoteEnd, headingStart, isBox, isBreak, itemMarkEnd, itemPadding, LineCursor } from './block-starts.ts'
import {
  ASTERISK,
  asciiSet,
  BACKTICK,
  COLON,
  CR,
  DASH,
  DOLLAR,
  EQUALS,
  GT,
  HASH,
  isDigit,
  isSpaceOrTab,
  LBRACKET,
  LT,
  PIPE,
  TILDE,
  UNDERSCORE,
} from './chars.ts'
import { takeDefinitions, type WrittenDestination } from './destinations.ts'
import { closesHtmlBlock, htmlBlockKind } from './html.ts'
import { LineIndex } from './line-index.ts'
import { type HeadingBlock, maskGaps, OpenSpan, type Run } from './prose/runs.ts'
import { columnsOfDelimiterRow, columnsOfRow } from './tables.ts'

/** The maximum nesting depth. Deeper containers are read as text, which bounds the time per line. */
const MAX_DEPTH = 100

const QUOTE = 1
const ITEM = 2
const FOOTNOTE = 3

const NONE = 0
const PARAGRAPH = 1
const FENCE = 2
const INDENTED = 3
const HTML = 4
const MATH = 5
const TABLE = 6

type Started = 'none' | 'container' | 'leaf'

const MAY_START = asciiSet('>#`~<=-*_+0123456789[$|: \t\r')

export interface BlockOptions {
  /** True for Logseq, where deeply indented list items are not code. */
  readonly isOutline?: boolean
}

/** Scans the blocks of a text and adds line starts to `lines`. */
export function scanBlocks(text: string, from: number, lines: LineIndex, { isOutline = false }: BlockOptions = {}): BlockScanner {
  const scanner = new BlockScanner(text, isOutline)
  scanner.scan(from, lines)
  return scanner
}

/** Returns a test for offsets in table rows, where an unescaped pipe ends the cell. */
export function rowTest(text: string, from: number): (offset: number) => boolean {
  const rows = once(() => scanBlocks(text, from, new LineIndex()).runs.filter(({ kind }) => kind === 'row'))
  return (offset) => rows().some(({ start, end }) => start <= offset && offset < end)
}

export class BlockScanner {
  readonly runs: Run[] = []
  readonly definitions = new Map<string, WrittenDestination>()
  /** The offsets of task checkboxes, such as `[ ]` and `[x]`. */
  readonly boxes: number[] = []
  /** Fenced code, from the opening fence to the end of the last line. */
  readonly fences: { readonly start: number; end: number }[] = []
  readonly formulas: TextRange[] = []
  readonly #text: string
  readonly #isOutline: boolean
  readonly #line: LineCursor

  #depth = 0
  readonly #kinds: number[] = []
  readonly #indents: number[] = []
  readonly #filled: boolean[] = []
  #matched = 0
  #quoted = false

  #leaf = NONE
  readonly #span = new OpenSpan()
  #htmlKind = 0
  #fenceMark = 0
  #fenceLength = 0
  #nextMath = -1

  constructor(text: string, isOutline: boolean) {
    this.#text = text
    this.#isOutline = isOutline
    this.#line = new LineCursor(text)
  }

  scan(from: number, lines: LineIndex): void {
    const text = this.#text
    let start = from
    while (start < text.length) {
      // A byte order mark counts as part of the first line.
      lines.push(start === 1 && from === 1 ? 0 : start)
      const newline = text.indexOf('\n', start)
      const next = newline === -1 ? text.length : newline + 1
      let eol = newline === -1 ? text.length : newline
      if (eol > start && text.charCodeAt(eol - 1) === CR) eol--
      this.#readLine(start, eol)
      start = next
    }
    this.#closeLeaf()
  }

  #readLine(start: number, eol: number): void {
    this.#line.begin(start, eol)
    this.#quoted = false
    this.#matched = 0
    if (this.#depth === 0 && this.#leaf <= PARAGRAPH && start < eol) {
      // Most lines are plain text outside all containers and take this fast path.
      const c = this.#text.charCodeAt(start)
      if (c >= 128 || MAY_START[c] === 0) {
        this.#addText(start)
        return
      }
    }
    this.#matchContainers()
    if (!this.#continueLeaf()) this.#startBlocks()
  }

  #matchContainers(): void {
    const line = this.#line
    let i = 0
    for (; i < this.#depth; i++) {
      line.findContent()
      if (this.#kinds[i] === QUOTE) {
        if (line.blank || line.indent > 3 || this.#text.charCodeAt(line.content) !== GT) break
        this.#enterQuote()
      } else if (line.blank) {
        // A list item can begin with at most one blank line.
        if (this.#kinds[i] === ITEM && !this.#filled[i]) break
        line.toContent()
      } else {
        const indent = this.#indents[i] as number
        if (line.indent < indent) break
        line.advanceColumns(indent)
      }
    }
    this.#matched = i
  }

  #enterQuote(): void {
    const line = this.#line
    this.#quoted = true
    line.passTo(line.content + 1)
    if (line.offset < line.eol && isSpaceOrTab(this.#text.charCodeAt(line.offset))) line.advanceColumns(1)
  }

  #open(kind: number, indent: number): void {
    const depth = this.#depth
    if (depth > 0) this.#filled[depth - 1] = true
    this.#kinds[depth] = kind
    this.#indents[depth] = indent
    this.#filled[depth] = false
    this.#depth = depth + 1
    this.#matched = depth + 1
  }

  #interrupt(): void {
    this.#closeLeaf()
    this.#depth = this.#matched
  }

  #beginLeaf(leaf: number): void {
    this.#interrupt()
    if (this.#depth > 0) this.#filled[this.#depth - 1] = true
    this.#leaf = leaf
  }

  /** @returns `false` if the line may start a block */
  #continueLeaf(): boolean {
    this.#line.findContent()
    const all = this.#matched === this.#depth
    switch (this.#leaf) {
      case NONE:
        break
      case PARAGRAPH:
        if (!this.#line.blank) return false
        break
      case FENCE:
        if (all) {
          const fence = this.fences.at(-1)
          if (fence !== undefined) fence.end = this.#line.eol
          if (this.#closesFence()) this.#leaf = NONE
          return true
        }
        break
      case INDENTED:
        if (all && (this.#line.blank || this.#isIndented())) return true
        break
      case HTML:
        if (all && !(this.#line.blank && this.#htmlKind >= 6)) {
          this.#addHtmlLine(this.#line.offset)
          return true
        }
        break
      case MATH:
        if (all) {
          this.#continueMath(this.#line.offset)
          return true
        }
        break
      case TABLE:
        if (all && !this.#line.blank) return false
        break
    }
    this.#interrupt()
    return this.#line.blank
  }

  #closesFence(): boolean {
    const line = this.#line
    if (line.blank || line.indent > 3) return false
    const end = line.endOfRun(this.#fenceMark)
    return end - line.content >= this.#fenceLength && line.restIsBlank(end)
  }

  #addHtmlLine(from: number): void {
    this.#extend(from)
    if (this.#htmlKind < 6 && closesHtmlBlock(this.#htmlKind, this.#text.slice(from, this.#line.eol))) this.#closeLeaf()
  }

  #continueMath(from: number): void {
    const close = this.#findMath(from)
    if (close >= this.#line.eol) return
    this.#leaf = NONE
    if (!this.#line.restIsBlank(close + 2)) this.#addText(close + 2)
  }

  #addText(from: number): void {
    if (this.#leaf === PARAGRAPH) {
      this.#extend(from)
      return
    }
    this.#beginLeaf(PARAGRAPH)
    this.#span.begin(from, this.#line.eol)
  }

  #extend(from: number): void {
    if (this.#quoted) this.#span.addGap(this.#line.lineStart, from)
    this.#span.extend(from, this.#line.eol)
  }

  #closeLeaf(): void {
    if (this.#leaf === PARAGRAPH) this.#emitSpan(undefined)
    // Links are not scanned in scripts and comments, whose text is never a link.
    else if (this.#leaf === HTML && this.#htmlKind >= 6) this.#emitHtml()
    this.#leaf = NONE
  }

  /** Skips leading definitions and emits the remaining text. @returns `false` if nothing is left */
  #emitSpan(heading: HeadingBlock | undefined): boolean {
    const span = this.#span
    if (this.#text.charCodeAt(span.start) === LBRACKET) this.#takeDefinitions()
    if (span.start >= span.end) return false
    this.runs.push({ kind: heading ? 'heading' : 'text', start: span.start, end: span.end, gaps: span.gaps, heading })
    return true
  }

  #takeDefinitions(): void {
    const { start, end, gaps } = this.#span
    const source = gaps ? maskGaps(this.#text, start, end, gaps) : this.#text
    const base = gaps ? start : 0
    this.#span.start = takeDefinitions(source, { start: start - base, end: end - base, base }, this.definitions) + base
  }

  #emitHtml(): void {
    const { start, end, gaps } = this.#span
    this.runs.push({ kind: 'html', start, end, gaps, heading: undefined })
  }

  #emitRow(start: number, end: number): void {
    this.runs.push({ kind: 'row', start, end, gaps: undefined, heading: undefined })
  }

  #headingHere(level: number, isSetext: boolean): HeadingBlock {
    return { level, lineEnd: this.#line.eol, isSetext, isNested: this.#depth > 0 }
  }

  /** Opens the containers that start on this line, and at most one leaf. */
  #startBlocks(): void {
    while (!this.#line.blank) {
      if (this.#isIndented()) {
        // Indented text can continue a paragraph. Everywhere else, it is code.
        if (this.#leaf === PARAGRAPH) break
        this.#beginLeaf(INDENTED)
        return
      }
      const c = this.#text.charCodeAt(this.#line.content)
      if (c >= 128 || MAY_START[c] === 0) break
      const started = this.#startBlock(c)
      if (started === 'leaf') return
      if (started === 'none') break
      this.#line.findContent()
    }
    if (this.#line.blank) {
      if (this.#matched < this.#depth) this.#interrupt()
      return
    }
    if (this.#leaf === TABLE) this.#emitRow(this.#line.content, this.#line.eol)
    else this.#addText(this.#line.content)
  }

  #isIndented(): boolean {
    return this.#line.indent >= 4 && !(this.#isOutline && itemMarkEnd(this.#line) !== -1)
  }

  #startBlock(c: number): Started {
    switch (c) {
      case GT:
        return this.#startQuote()
      case HASH:
        return this.#startHeading()
      case BACKTICK:
      case TILDE:
        return this.#startFence(c)
      case LT:
        return this.#startHtml()
      case LBRACKET:
        return this.#startFootnote()
      case DOLLAR:
        return this.#startMath()
      case EQUALS:
        return this.#startSetext(c)
      case PIPE:
      case COLON:
        return this.#startTable()
      case UNDERSCORE:
        return this.#startBreak(c)
      case DASH:
        return this.#startDashed(c)
      case ASTERISK: {
        const started = this.#startBreak(c)
        return started === 'none' ? this.#startItem(c) : started
      }
      default:
        return this.#startItem(c)
    }
  }

  /**
   * A line of dashes can be a heading's underline, a thematic break, a list item or a table's delimiter row, checked in this
   * order.
   */
  #startDashed(c: number): Started {
    let started = this.#startSetext(c)
    if (started === 'none') started = this.#startBreak(c)
    if (started === 'none') started = this.#startItem(c)
    return started === 'none' ? this.#startTable() : started
  }

  #startQuote(): Started {
    if (this.#matched >= MAX_DEPTH) return 'none'
    this.#interrupt()
    this.#enterQuote()
    this.#open(QUOTE, 0)
    return 'container'
  }

  #inParagraph(): boolean {
    return this.#leaf === PARAGRAPH && this.#matched === this.#depth
  }

  #startHeading(): Started {
    const heading = headingStart(this.#line)
    if (!heading) return 'none'
    this.#beginLeaf(NONE)
    const { start, end, level } = heading
    this.runs.push({ kind: 'heading', start, end, gaps: undefined, heading: this.#headingHere(level, false) })
    return 'leaf'
  }

  #startFence(mark: number): Started {
    const length = fenceLength(this.#line, mark)
    if (length === 0) return 'none'
    this.#beginLeaf(FENCE)
    this.fences.push({ start: this.#line.content, end: this.#line.eol })
    this.#fenceMark = mark
    this.#fenceLength = length
    return 'leaf'
  }

  #startHtml(): Started {
    const kind = htmlBlockKind(this.#text, this.#line.content, this.#line.eol)
    if (kind === 0 || (kind === 7 && this.#leaf === PARAGRAPH)) return 'none'
    this.#beginLeaf(HTML)
    this.#htmlKind = kind
    this.#span.begin(this.#line.content, this.#line.eol)
    if (kind < 6 && closesHtmlBlock(kind, this.#text.slice(this.#line.content, this.#line.eol))) this.#closeLeaf()
    return 'leaf'
  }

  #startFootnote(): Started {
    const end = footnoteEnd(this.#line)
    if (end === -1 || this.#matched >= MAX_DEPTH) return 'none'
    this.#interrupt()
    this.#line.passTo(end)
    this.#open(FOOTNOTE, 4)
    // The indented content of a footnote is not code.
    this.#line.findContent()
    this.#line.toContent()
    return 'container'
  }

  /** Opens a block at `$$` if a later line closes it. Otherwise, an unclosed `$$` would hide the rest of the note. */
  #startMath(): Started {
    const { content, eol } = this.#line
    if (this.#text.charCodeAt(content + 1) !== DOLLAR || content + 1 >= eol) return 'none'
    const close = this.#findMath(content + 2)
    if (close < eol || close === Number.POSITIVE_INFINITY) return 'none'
    this.#beginLeaf(MATH)
    this.formulas.push({ start: content, end: close + 2 })
    return 'leaf'
  }

  /** The result is cached, so a long block is searched only once. */
  #findMath(from: number): number {
    if (this.#nextMath < from) {
      const next = this.#text.indexOf('$$', from)
      this.#nextMath = next === -1 ? Number.POSITIVE_INFINITY : next
    }
    return this.#nextMath
  }

  #startSetext(mark: number): Started {
    const line = this.#line
    if (!this.#inParagraph() || !line.restIsBlank(line.endOfRun(mark))) return 'none'
    const isDone = this.#emitSpan(this.#headingHere(mark === EQUALS ? 1 : 2, true))
    this.#leaf = NONE
    return isDone ? 'leaf' : 'none'
  }

  #startBreak(mark: number): Started {
    if (!isBreak(this.#line, mark)) return 'none'
    this.#beginLeaf(NONE)
    return 'leaf'
  }

  #startItem(c: number): Started {
    const line = this.#line
    const end = itemMarkEnd(line)
    if (end === -1 || this.#matched >= MAX_DEPTH) return 'none'
    const empty = line.restIsBlank(end)
    // A list item can interrupt a paragraph only if it is not empty, and is a bullet or has the number 1.
    if (this.#inParagraph() && (empty || (isDigit(c) && !(end === line.content + 2 && c === 49)))) return 'none'
    this.#interrupt()
    const width = line.indent + end - line.content
    line.passTo(end)
    const padding = itemPadding(line, empty)
    line.advanceColumns(padding)
    this.#open(ITEM, width + padding)
    if (isBox(this.#text, line.offset, line.eol)) this.boxes.push(line.offset)
    return 'container'
  }

  #startTable(): Started {
    if (!this.#inParagraph()) return 'none'
    const columns = columnsOfDelimiterRow(this.#text, this.#line.content, this.#line.eol)
    const { start, end, lastLine, beforeLast } = this.#span
    if (columns === 0 || columns !== columnsOfRow(this.#text, lastLine, end)) return 'none'
    if (lastLine > start) {
      this.#span.end = beforeLast
      this.#closeLeaf()
    }
    this.#emitRow(lastLine, end)
    this.#leaf = TABLE
    return 'leaf'
  }
}
