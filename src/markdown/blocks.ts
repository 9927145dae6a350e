import { fenceLength, footnoteEnd, headingStart, isBreak, itemMarkEnd, itemPadding } from './block-starts.ts'
import { asciiSet, BACKTICK, CR, DOLLAR, GT, HASH, isDigit, isSpaceOrTab, LBRACKET, LT, PIPE } from './chars.ts'
import { takeDefinitions } from './destinations.ts'
import { closesHtmlBlock, htmlBlockKind } from './html.ts'
import { LineCursor } from './line-cursor.ts'
import type { LineIndex } from './line-index.ts'
import { columnsOfDelimiterRow, columnsOfRow } from './tables.ts'

/** A stretch of a file whose inline content counts. Offsets are of the whole text. */
export interface Run {
  readonly kind: 'text' | 'heading' | 'row' | 'html'
  readonly start: number
  readonly end: number
  /** Pairs of offsets between which quote marks of the containers stand: not content. */
  readonly gaps: readonly number[] | undefined
  /** The heading's level; 0 otherwise. */
  readonly level: number
}

export interface Blocks {
  readonly runs: readonly Run[]
  /** Folded label → destination as written. */
  readonly definitions: ReadonlyMap<string, string>
}

/** Containers may be nested this deep; what is deeper is text, so that a line never costs more than this. */
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

/** The first characters of lines that may be more than text. */
const MAY_START = asciiSet('>#`~<=-*_+0123456789[$|: \t\r')

/** Splits the text from `from` on into runs by CommonMark's block structure, in one pass; adds its lines to `lines`. */
export function scanBlocks(text: string, from: number, lines: LineIndex): Blocks {
  const scanner = new BlockScanner(text)
  scanner.scan(from, lines)
  return scanner
}

class BlockScanner implements Blocks {
  readonly runs: Run[] = []
  readonly definitions = new Map<string, string>()
  readonly #text: string
  readonly #line: LineCursor

  // The open containers.
  #depth = 0
  readonly #kinds: number[] = []
  readonly #indents: number[] = []
  /** Whether something stands in the container already. */
  readonly #filled: boolean[] = []
  /** How many of them the current line continues. */
  #matched = 0
  /** Whether a quote mark stands on the current line. */
  #quoted = false

  // The open leaf, and its span when it is a paragraph or an HTML block.
  #leaf = NONE
  #start = 0
  #end = 0
  #lastLine = 0
  #beforeLast = 0
  #gaps: number[] | undefined
  #htmlKind = 0
  #fenceMark = 0
  #fenceLength = 0
  #nextMath = -1

  constructor(text: string) {
    this.#text = text
    this.#line = new LineCursor(text)
  }

  scan(from: number, lines: LineIndex): void {
    const text = this.#text
    let start = from
    while (start < text.length) {
      // A byte order mark belongs to the first line.
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
      // Most lines: plain text outside of every container.
      const c = this.#text.charCodeAt(start)
      if (c >= 128 || MAY_START[c] === 0) {
        this.#addText(start)
        return
      }
    }
    this.#matchContainers()
    if (!this.#continueLeaf()) this.#startBlocks()
  }

  // Containers ------------------------------------------------------------------------------------------------------

  #matchContainers(): void {
    const line = this.#line
    let i = 0
    for (; i < this.#depth; i++) {
      line.findContent()
      if (this.#kinds[i] === QUOTE) {
        if (line.blank || line.indent > 3 || this.#text.charCodeAt(line.content) !== GT) break
        this.#enterQuote()
      } else if (line.blank) {
        if (!this.#filled[i]) break
        line.toContent()
      } else {
        const needed = this.#indents[i] as number
        if (line.indent < needed) break
        line.advanceColumns(needed)
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

  /** Closes the open leaf and the containers that the line did not continue, before something new begins. */
  #interrupt(): void {
    this.#closeLeaf()
    this.#depth = this.#matched
  }

  #beginLeaf(leaf: number): void {
    this.#interrupt()
    if (this.#depth > 0) this.#filled[this.#depth - 1] = true
    this.#leaf = leaf
  }

  // Leaves ----------------------------------------------------------------------------------------------------------

  /** Lets the open leaf take the line; false when the line has to be looked at as a possible beginning. */
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
          if (this.#closesFence()) this.#leaf = NONE
          return true
        }
        break
      case INDENTED:
        if (all && (this.#line.blank || this.#line.indent >= 4)) return true
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
    if (closesHtmlBlock(this.#htmlKind, this.#text.slice(from, this.#line.eol))) this.#closeLeaf()
  }

  #continueMath(from: number): void {
    const close = this.#findMath(from)
    if (close >= this.#line.eol) return
    this.#leaf = NONE
    if (!this.#line.restIsBlank(close + 2)) this.#addText(close + 2)
  }

  /** Adds the rest of the line to the open paragraph, or begins one. */
  #addText(from: number): void {
    if (this.#leaf === PARAGRAPH) {
      this.#extend(from)
      return
    }
    this.#beginLeaf(PARAGRAPH)
    this.#beginSpan(from)
  }

  #beginSpan(from: number): void {
    this.#start = from
    this.#end = this.#line.eol
    this.#lastLine = from
    this.#beforeLast = from
    this.#gaps = undefined
  }

  #extend(from: number): void {
    if (this.#quoted) {
      this.#gaps ??= []
      this.#gaps.push(this.#line.lineStart, from)
    }
    this.#beforeLast = this.#end
    this.#lastLine = from
    this.#end = this.#line.eol
  }

  #closeLeaf(): void {
    if (this.#leaf === PARAGRAPH) this.#emitSpan('text', 0)
    // Scripts and comments hold no links; tags in other HTML may.
    else if (this.#leaf === HTML && this.#htmlKind >= 6) this.#push('html', this.#start, this.#end, 0)
    this.#leaf = NONE
  }

  /** Emits the paragraph as a run, without the definitions at its beginning; false when nothing is left. */
  #emitSpan(kind: 'text' | 'heading', level: number): boolean {
    if (this.#text.charCodeAt(this.#start) === LBRACKET) this.#takeDefinitions()
    if (this.#start >= this.#end) return false
    this.#push(kind, this.#start, this.#end, level)
    return true
  }

  #takeDefinitions(): void {
    const source = this.#gaps ? maskGaps(this.#text, this.#start, this.#end, this.#gaps) : this.#text
    const base = this.#gaps ? this.#start : 0
    const span = { start: this.#start - base, end: this.#end - base }
    this.#start = takeDefinitions(source, span, this.definitions) + base
  }

  #push(kind: Run['kind'], start: number, end: number, level: number): void {
    this.runs.push({ kind, start, end, gaps: this.#gaps, level })
    this.#gaps = undefined
  }

  // Beginnings ------------------------------------------------------------------------------------------------------

  /** Opens what begins on the line: containers, then at most one leaf. */
  #startBlocks(): void {
    while (!this.#line.blank) {
      if (this.#line.indent >= 4) {
        // A paragraph goes on, even lazily; elsewhere this is code.
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
    if (this.#leaf === TABLE) this.#push('row', this.#line.content, this.#line.eol, 0)
    else this.#addText(this.#line.content)
  }

  #startBlock(c: number): 'none' | 'container' | 'leaf' {
    switch (c) {
      case GT:
        if (this.#matched >= MAX_DEPTH) return 'none'
        this.#interrupt()
        this.#enterQuote()
        this.#open(QUOTE, 0)
        return 'container'
      case HASH:
        return this.#startHeading() ? 'leaf' : 'none'
      case BACKTICK:
      case 126:
        return this.#startFence(c) ? 'leaf' : 'none'
      case LT:
        return this.#startHtml() ? 'leaf' : 'none'
      case LBRACKET:
        return this.#startFootnote() ? 'container' : 'none'
      case DOLLAR:
        return this.#startMath() ? 'leaf' : 'none'
      case 61:
        return this.#startSetext(c) ? 'leaf' : 'none'
      case 45:
        if (this.#startSetext(c) || this.#startBreak(c)) return 'leaf'
        if (this.#startItem(c)) return 'container'
        return this.#startTable() ? 'leaf' : 'none'
      case 42:
        if (this.#startBreak(c)) return 'leaf'
        return this.#startItem(c) ? 'container' : 'none'
      case 95:
        return this.#startBreak(c) ? 'leaf' : 'none'
      case PIPE:
      case 58:
        return this.#startTable() ? 'leaf' : 'none'
      default:
        return this.#startItem(c) ? 'container' : 'none'
    }
  }

  #inParagraph(): boolean {
    return this.#leaf === PARAGRAPH && this.#matched === this.#depth
  }

  #startHeading(): boolean {
    const heading = headingStart(this.#line)
    if (!heading) return false
    this.#beginLeaf(NONE)
    this.#gaps = undefined
    this.#push('heading', heading.start, heading.end, heading.level)
    return true
  }

  #startFence(mark: number): boolean {
    const length = fenceLength(this.#line, mark)
    if (length === 0) return false
    this.#beginLeaf(FENCE)
    this.#fenceMark = mark
    this.#fenceLength = length
    return true
  }

  #startHtml(): boolean {
    const kind = htmlBlockKind(this.#text, this.#line.content, this.#line.eol)
    if (kind === 0 || (kind === 7 && this.#leaf === PARAGRAPH)) return false
    this.#beginLeaf(HTML)
    this.#htmlKind = kind
    this.#beginSpan(this.#line.content)
    if (closesHtmlBlock(kind, this.#text.slice(this.#line.content, this.#line.eol))) this.#closeLeaf()
    return true
  }

  #startFootnote(): boolean {
    const end = footnoteEnd(this.#line)
    if (end === -1 || this.#matched >= MAX_DEPTH) return false
    this.#interrupt()
    this.#line.passTo(end)
    this.#open(FOOTNOTE, 4)
    // However far the text is indented, it is not code.
    this.#line.findContent()
    this.#line.toContent()
    return true
  }

  /** `$$` opens a block only where a later line closes it: an unclosed one must not hide the rest of the note. */
  #startMath(): boolean {
    const { content, eol } = this.#line
    if (this.#text.charCodeAt(content + 1) !== DOLLAR || content + 1 >= eol) return false
    const close = this.#findMath(content + 2)
    if (close < eol || close === Number.POSITIVE_INFINITY) return false
    this.#beginLeaf(MATH)
    return true
  }

  /** The next `$$`, remembered: a long block costs one search. */
  #findMath(from: number): number {
    if (this.#nextMath < from) {
      const next = this.#text.indexOf('$$', from)
      this.#nextMath = next === -1 ? Number.POSITIVE_INFINITY : next
    }
    return this.#nextMath
  }

  #startSetext(mark: number): boolean {
    const line = this.#line
    if (!this.#inParagraph() || !line.restIsBlank(line.endOfRun(mark))) return false
    const done = this.#emitSpan('heading', mark === 61 ? 1 : 2)
    this.#leaf = NONE
    return done
  }

  #startBreak(mark: number): boolean {
    if (!isBreak(this.#line, mark)) return false
    this.#beginLeaf(NONE)
    return true
  }

  #startItem(c: number): boolean {
    const line = this.#line
    const end = itemMarkEnd(line)
    if (end === -1 || this.#matched >= MAX_DEPTH) return false
    const empty = line.restIsBlank(end)
    // Only a filled item, and only number 1, may follow a paragraph's line.
    if (this.#inParagraph() && (empty || (isDigit(c) && !(end === line.content + 2 && c === 49)))) return false
    this.#interrupt()
    const width = line.indent + end - line.content
    line.passTo(end)
    const padding = itemPadding(line, empty)
    line.advanceColumns(padding)
    this.#open(ITEM, width + padding)
    return true
  }

  // Tables ----------------------------------------------------------------------------------------------------------

  /** A delimiter row makes the paragraph's last line the head of a table. */
  #startTable(): boolean {
    if (!this.#inParagraph()) return false
    const columns = columnsOfDelimiterRow(this.#text, this.#line.content, this.#line.eol)
    if (columns === 0 || columns !== columnsOfRow(this.#text, this.#lastLine, this.#end)) return false
    const head = this.#lastLine
    const headEnd = this.#end
    if (head > this.#start) {
      this.#end = this.#beforeLast
      this.#closeLeaf()
    }
    this.#gaps = undefined
    this.#push('row', head, headEnd, 0)
    this.#leaf = TABLE
    return true
  }
}

/** `text.slice(start, end)` with the gaps blanked out; every character keeps its place. */
export function maskGaps(text: string, start: number, end: number, gaps: readonly number[]): string {
  let masked = ''
  let at = start
  for (let i = 0; i + 1 < gaps.length; i += 2) {
    const from = gaps[i] as number
    const to = gaps[i + 1] as number
    if (to > end) break
    if (from < at) continue
    masked += text.slice(at, from) + ' '.repeat(to - from)
    at = to
  }
  return masked + text.slice(at, end)
}
