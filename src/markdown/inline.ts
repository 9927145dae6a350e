import type { Flavour, Link, LinkForm, LinkKind } from '../core/note.ts'
import { maskGaps, type Run } from './blocks.ts'
import {
  BACKSLASH,
  BACKTICK,
  BANG,
  DOLLAR,
  HASH,
  isPunctuation,
  isWhitespace,
  LBRACKET,
  LF,
  LPAREN,
  LT,
  PERCENT,
  RBRACKET,
} from './chars.ts'
import type { CommentMark } from './comments.ts'
import { decodePercent, foldLabel, isExternal, labelEnd, parseLinkTail, unescapeText } from './destinations.ts'
import { FieldTracker } from './fields.ts'
import { autolinkEnd, htmlTarget, tagEnd as htmlTagEnd } from './html.ts'
import type { LineIndex } from './line-index.ts'
import { forEachCell } from './tables.ts'
import { followsEmphasis, tagEnd, tagName } from './tags.ts'
import { isUrl, splitWikilink, wikilinkEnd } from './wikilinks.ts'

export interface FoundTag {
  readonly name: string
  readonly at: number
}

export interface InlineContext {
  readonly flavour: Flavour
  readonly definitions: ReadonlyMap<string, string>
  readonly lines: LineIndex
  /** Whether `::` occurs at all. */
  readonly fields: boolean
}

/** A link while its file is read. */
export type MutableLink = { -readonly [Key in keyof Link]: Link[Key] }

/** What an inline construct can begin with; the engine finds it several times faster than a loop over characters. */
const SPECIAL = /[\\`[\]<$#%]/g

/** Finds the next place of a string, remembering it: many failed searches cost as much as one. */
class NextOf {
  readonly #needle: string
  #text = ''
  #from = 0
  #at = -1

  constructor(needle: string) {
    this.#needle = needle
  }

  /** The first place at or after `from`, or `Infinity`. */
  find(text: string, from: number): number {
    if (text !== this.#text || from < this.#from || from > this.#at) {
      const at = text.indexOf(this.#needle, from)
      this.#text = text
      this.#from = from
      this.#at = at === -1 ? Number.POSITIVE_INFINITY : at
    }
    return this.#at
  }
}

/** Reads the links and tags of runs, in order; what it found stands in its fields. */
export class InlineScanner {
  readonly links: MutableLink[] = []
  readonly tags: FoundTag[] = []
  readonly commentMarks: CommentMark[] = []
  readonly blocks: string[] = []
  wikilinks = 0
  relativeLinks = 0
  /** Whether a link was found after one that begins later. */
  disordered = false

  readonly #lenient: boolean
  readonly #logseq: boolean
  readonly #docs: boolean
  readonly #context: InlineContext
  readonly #fields: FieldTracker | undefined

  // The current run (or cell): `base` is what its offsets lack to those of the file.
  #src = ''
  #searched = ''
  #searchedFrom = 0
  #found = -1
  #base = 0
  #start = 0
  #end = 0
  #run = 0
  #inRow = false
  readonly #next = new Map<string, NextOf>()
  #ticks: Map<number, number> | undefined
  #mathClose = -1
  /** Where an escaped character, a tag or an HTML tag ended: a `#` there begins a tag. */
  #tokenEnd = -1
  /** Where an escaped character stands, so that a `!` there makes no embed. */
  #escaped = -1

  // Open brackets; those below `#inactive` cannot begin a link any more, only an image.
  #open = 0
  readonly #at: number[] = []
  readonly #image: boolean[] = []
  readonly #nested: boolean[] = []
  #inactive = 0
  #lastStart = -1

  constructor(context: InlineContext) {
    this.#context = context
    const { profile, mode } = context.flavour
    this.#lenient = profile === 'lenient'
    this.#logseq = this.#lenient && mode === 'logseq'
    this.#docs = this.#lenient && mode === 'docs'
    this.#fields = this.#lenient && context.fields ? new FieldTracker() : undefined
  }

  /** Reads one run of `text`. */
  scan(text: string, run: Run): void {
    let start = run.start
    let end = run.end
    this.#src = text
    this.#base = 0
    if (run.gaps) {
      this.#src = maskGaps(text, start, end, run.gaps)
      this.#base = start
      end -= start
      start = 0
    }
    this.#run++
    this.#inRow = run.kind === 'row'
    if (run.kind === 'row') forEachCell(this.#src, start, end, (from, to) => this.#scanSpan(from, to))
    else if (run.kind === 'html') this.#scanHtml(start, end)
    else this.#scanSpan(start, end)
  }

  #scanSpan(start: number, end: number): void {
    const src = this.#src
    this.#start = start
    this.#end = end
    this.#ticks = undefined
    this.#mathClose = -1
    this.#tokenEnd = -1
    this.#escaped = -1
    this.#open = 0
    this.#inactive = 0
    this.#fields?.begin(src, start, !this.#inRow)
    let i = this.#nextSpecial(start)
    while (i < end) i = this.#nextSpecial(this.#special(src.charCodeAt(i), i))
    this.#findBlockId()
  }

  /** The next special character at or after `from`; where it lies behind the run, it is kept for the next run. */
  #nextSpecial(from: number): number {
    if (this.#src === this.#searched && from >= this.#searchedFrom && from <= this.#found) return this.#found
    SPECIAL.lastIndex = from
    this.#searched = this.#src
    this.#searchedFrom = from
    this.#found = SPECIAL.test(this.#src) ? SPECIAL.lastIndex - 1 : Number.MAX_SAFE_INTEGER
    return this.#found
  }

  /** Handles a special character and returns where to go on. */
  #special(c: number, i: number): number {
    const src = this.#src
    switch (c) {
      case BACKSLASH:
        if (i + 1 >= this.#end || !isPunctuation(src.charCodeAt(i + 1))) return i + 1
        this.#escaped = i + 1
        this.#tokenEnd = i + 2
        return i + 2
      case BACKTICK: {
        const close = this.#codeEnd(i)
        return close === -1 ? this.#skipRun(i, BACKTICK) : close
      }
      case LBRACKET:
        return this.#openBracket(i)
      case RBRACKET:
        return this.#closeBracket(i)
      case LT:
        return this.#angle(i)
      case DOLLAR:
        return this.#dollar(i)
      case HASH:
        return this.#hash(i)
      default:
        return this.#percent(i)
    }
  }

  #skipRun(from: number, c: number): number {
    let i = from
    while (i < this.#end && this.#src.charCodeAt(i) === c) i++
    return i
  }

  // Code, math, HTML ------------------------------------------------------------------------------------------------

  /** The offset after the code span that begins at `start`, or -1. */
  #codeEnd(start: number): number {
    const src = this.#src
    const content = this.#skipRun(start, BACKTICK)
    const length = content - start
    if (this.#ticks && (this.#ticks.get(length) ?? -1) < content) return -1
    let from = src.indexOf('`', content)
    while (from !== -1 && from < this.#end) {
      const to = this.#skipRun(from, BACKTICK)
      if (to - from === length) return to
      from = src.indexOf('`', to)
    }
    this.#ticks ??= this.#lastTicks(content)
    return -1
  }

  /** The last run of backticks of each length: once a search has failed, no other needs to look that far. */
  #lastTicks(from: number): Map<number, number> {
    const last = new Map<number, number>()
    let at = this.#src.indexOf('`', from)
    while (at !== -1 && at < this.#end) {
      const to = this.#skipRun(at, BACKTICK)
      last.set(to - at, at)
      at = this.#src.indexOf('`', to)
    }
    return last
  }

  #dollar(i: number): number {
    const src = this.#src
    const run = this.#skipRun(i, DOLLAR)
    if (run - i >= 2) {
      const close = this.#find('$$', run)
      return run - i === 2 && close + 2 <= this.#end ? close + 2 : run
    }
    if (run >= this.#end || isWhitespace(src.charCodeAt(run))) return run
    if (this.#mathClose < run + 1) this.#mathClose = this.#findMathClose(run)
    return src.charCodeAt(this.#mathClose) === DOLLAR && this.#mathClose < this.#end ? this.#mathClose + 1 : run
  }

  /** The next `$` of the line that may close math, else the line's end; wikilinks and code are passed over. */
  #findMathClose(from: number): number {
    const src = this.#src
    let i = from
    while (i < this.#end) {
      const c = src.charCodeAt(i)
      if (c === LF) return i
      if (c === BACKSLASH) i += 2
      else if (c === DOLLAR && i > from && !isWhitespace(src.charCodeAt(i - 1))) return i
      else if (c === LBRACKET && src.charCodeAt(i + 1) === LBRACKET) i = Math.max(wikilinkEnd(src, i, this.#end), i + 1)
      else if (c === BACKTICK) i = Math.max(this.#codeEnd(i), this.#skipRun(i, BACKTICK))
      else i++
    }
    return this.#end
  }

  #angle(i: number): number {
    const src = this.#src
    const second = src.charCodeAt(i + 1)
    if (second === BANG || second === 63) return this.#markup(i)
    const link = autolinkEnd(src, i, this.#end)
    if (link !== -1) return link
    const end = htmlTagEnd(src, i, this.#end)
    if (end === -1) return i + 1
    if (this.#docs) this.#addHtmlLink(i, end)
    this.#tokenEnd = end
    return end
  }

  /** Comments, processing instructions, declarations and CDATA. */
  #markup(i: number): number {
    const src = this.#src
    let close = Number.POSITIVE_INFINITY
    if (src.startsWith('<!--', i)) {
      if (src.startsWith('>', i + 4)) return i + 5
      if (src.startsWith('->', i + 4)) return i + 6
      close = this.#find('-->', i + 4) + 3
    } else if (src.startsWith('<![CDATA[', i)) close = this.#find(']]>', i + 9) + 3
    else if (src.startsWith('<?', i)) close = this.#find('?>', i + 2) + 2
    else if (/[A-Za-z]/.test(src[i + 2] ?? '')) close = this.#find('>', i + 2) + 1
    return close <= this.#end ? close : i + 1
  }

  /** In docs folders the tags of an HTML block may link; its text does not. */
  #scanHtml(start: number, end: number): void {
    if (!this.#docs) return
    this.#fields?.begin(this.#src, start, false)
    const src = this.#src
    let i = src.indexOf('<', start)
    while (i !== -1 && i < end) {
      const comment = src.startsWith('<!--', i) ? this.#find('-->', i + 4) + 3 : 0
      const close = comment > 0 ? comment : htmlTagEnd(src, i, end)
      if (comment === 0 && close !== -1) this.#addHtmlLink(i, close)
      if (close > end) return
      i = src.indexOf('<', Math.max(close, i + 1))
    }
  }

  #addHtmlLink(start: number, end: number): void {
    const tag = htmlTarget(this.#src.slice(start, end))
    if (!tag) return
    const destination = unescapeReferences(tag.value.trim())
    if (destination === '' || isExternal(destination)) return
    this.#emitDestination({ kind: tag.embed ? 'embed' : 'link', form: 'html', start, end }, destination, undefined)
  }

  /** The next place of a string at or after `from`, or `Infinity`. */
  #find(needle: string, from: number): number {
    let next = this.#next.get(needle)
    if (!next) {
      next = new NextOf(needle)
      this.#next.set(needle, next)
    }
    return next.find(this.#src, from)
  }

  // Brackets --------------------------------------------------------------------------------------------------------

  #openBracket(i: number): number {
    const src = this.#src
    const image = i > this.#start && src.charCodeAt(i - 1) === BANG && i - 1 !== this.#escaped
    if (src.charCodeAt(i + 1) === LBRACKET) {
      const end = wikilinkEnd(src, i, this.#end)
      if (end !== -1) {
        this.#addWikilink(i, end, image)
        return end
      }
    }
    const open = this.#open++
    if (open > 0) this.#nested[open - 1] = true
    this.#at[open] = i
    this.#image[open] = image
    this.#nested[open] = false
    return i + 1
  }

  #addWikilink(open: number, end: number, embed: boolean): void {
    const src = this.#src
    this.wikilinks++
    if (this.#open > 0) this.#nested[this.#open - 1] = true
    // Links do not contain links; embeds may stand in one.
    if (!embed) this.#inactive = this.#open
    const content = src.slice(open + 2, end - 2)
    const { target, subpath, display } = splitWikilink(content)
    if (target === '' && subpath === undefined) return
    if (this.#lenient ? target.startsWith('|') || isUrl(target) : this.#inRow && /(?<!\\)\|/.test(content)) return
    const page = this.#logseq && !embed && open > this.#start && src.charCodeAt(open - 1) === HASH && open - 1 !== this.#escaped
    const start = embed || page ? open - 1 : open
    const kind = embed ? 'embed' : 'link'
    this.#emit({ kind, form: page ? 'page' : 'wikilink', start, end }, { target, subpath, display })
  }

  #closeBracket(i: number): number {
    const open = this.#open - 1
    if (open < 0) return i + 1
    this.#open = open
    const image = this.#image[open] as boolean
    const active = image || open >= this.#inactive
    if (this.#inactive > open) this.#inactive = open
    if (!active) return i + 1
    const before = this.links.length
    const end = this.#inlineLink(open, i) ?? this.#referenceLink(open, i)
    if (end === undefined) return i + 1
    if (image) this.#dropInAlternative((this.#at[open] as number) + this.#base, before)
    if (!image) this.#inactive = open
    return end
  }

  /** Markdown links in an image's alternative text, those that end before `before`, are shown as text. */
  #dropInAlternative(start: number, before: number): void {
    let from = before
    for (; from > 0; from--) {
      const { start: at, form, target } = this.links[from - 1] as Link
      if (at < start || (form !== 'markdown' && form !== 'reference')) break
      if (target !== '') this.relativeLinks--
    }
    this.links.splice(from, before - from)
  }

  #inlineLink(open: number, close: number): number | undefined {
    if (this.#src.charCodeAt(close + 1) !== LPAREN || close + 1 >= this.#end) return undefined
    const tail = parseLinkTail(this.#src, close + 1, this.#end)
    if (tail) this.#addMarkdownLink('markdown', open, { close, end: tail.end, raw: tail.raw })
    return tail?.end
  }

  #referenceLink(open: number, close: number): number | undefined {
    const { definitions } = this.#context
    if (definitions.size === 0) return undefined
    const src = this.#src
    const from = this.#at[open] as number
    let end = close + 1
    let label: string | undefined
    const after = src.charCodeAt(end) === LBRACKET && end < this.#end ? labelEnd(src, end, this.#end) : -1
    if (after > end + 2) label = src.slice(end + 1, after - 1)
    else if (!this.#nested[open] && close - from <= 1000) label = src.slice(from + 1, close)
    if (after !== -1) end = after
    // A label that begins with `^` calls a footnote.
    const folded = label === undefined || label.startsWith('^') ? undefined : foldLabel(label)
    const raw = folded === undefined ? undefined : definitions.get(folded)
    if (raw === undefined) return undefined
    this.#addMarkdownLink('reference', open, { close, end, raw })
    return end
  }

  #addMarkdownLink(form: 'markdown' | 'reference', open: number, link: { close: number; end: number; raw: string }): void {
    // Most links of most notes lead outside: they need no decoding.
    if (isExternal(link.raw)) return
    const destination = unescapeText(link.raw)
    if (destination === '' || isExternal(destination)) return
    if (!destination.startsWith('#')) this.relativeLinks++
    if (form === 'reference' && !this.#lenient) return
    const at = this.#at[open] as number
    const image = this.#image[open] as boolean
    const display = this.#src.slice(at + 1, link.close)
    const kind = image ? 'embed' : 'link'
    const start = image ? at - 1 : at
    this.#emitDestination({ kind, form, start, end: link.end }, destination, display === '' ? undefined : display)
  }

  #emitDestination(place: LinkPlace, destination: string, display: string | undefined): void {
    const hash = destination.indexOf('#')
    const target = decodePercent(hash === -1 ? destination : destination.slice(0, hash))
    const subpath = hash === -1 ? undefined : decodePercent(destination.slice(hash + 1))
    this.#emit(place, { target, subpath, display })
  }

  #emit(place: LinkPlace, parts: LinkParts): void {
    const property = place.kind === 'link' ? this.#fields?.keyAt(place.start) : undefined
    const start = place.start + this.#base
    const { lines } = this.#context
    const line = lines.lineAt(start)
    const link: MutableLink = {
      kind: property === undefined ? place.kind : 'property',
      form: place.form,
      target: parts.target,
      line,
      column: start - lines.startOf(line) + 1,
      start,
      end: place.end + this.#base,
    }
    if (parts.subpath !== undefined) link.subpath = parts.subpath
    if (parts.display !== undefined) link.display = parts.display
    if (property !== undefined) link.property = property
    if (start < this.#lastStart) this.disordered = true
    this.#lastStart = start
    this.links.push(link)
  }

  // Tags, comments, block ids ---------------------------------------------------------------------------------------

  #hash(i: number): number {
    const src = this.#src
    if (!this.#mayBeginTag(i)) return i + 1
    let end = tagEnd(src, i, this.#end)
    if (end === -1) return i + 1
    // In `_#tag_` the second mark ends the emphasis.
    if (i > this.#start && src[i - 1] === '_') while (end > i + 2 && src[end - 1] === '_') end--
    this.tags.push({ name: tagName(src.slice(i + 1, end)), at: i + this.#base })
    this.#tokenEnd = end
    return end
  }

  #mayBeginTag(i: number): boolean {
    if (i === this.#start || i === this.#tokenEnd) return true
    const before = this.#src.charCodeAt(i - 1)
    return isWhitespace(before) || (isPunctuation(before) && followsEmphasis(this.#src, i, [this.#start, this.#end]))
  }

  #percent(i: number): number {
    const end = this.#skipRun(i, PERCENT)
    const pairs = (end - i) >> 1
    // An even number of pairs opens and closes empty comments.
    if (pairs % 2 === 1) this.commentMarks.push({ at: i + this.#base, first: this.#isFirst(i), run: this.#run })
    return end
  }

  #isFirst(at: number): boolean {
    let i = at
    while (i > this.#start) {
      const c = this.#src.charCodeAt(i - 1)
      if (c === LF) return true
      if (!isWhitespace(c)) return false
      i--
    }
    return !this.#inRow
  }

  /** A run may end with `^id`. */
  #findBlockId(): void {
    const src = this.#src
    let end = this.#end
    while (end > this.#start && isWhitespace(src.charCodeAt(end - 1))) end--
    let i = end
    while (i > this.#start && isIdCharacter(src.charCodeAt(i - 1))) i--
    if (i === end || i === this.#start || src[i - 1] !== '^') return
    if (i - 1 === this.#start || isWhitespace(src.charCodeAt(i - 2))) this.blocks.push(src.slice(i, end))
  }
}

interface LinkPlace {
  readonly kind: LinkKind
  readonly form: LinkForm
  readonly start: number
  readonly end: number
}

interface LinkParts {
  readonly target: string
  readonly subpath: string | undefined
  readonly display: string | undefined
}

function isIdCharacter(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 45
}

function unescapeReferences(value: string): string {
  // A backslash is no escape in HTML.
  return value.includes('&') ? unescapeText(value.replaceAll('\\', '\\\\')) : value
}
