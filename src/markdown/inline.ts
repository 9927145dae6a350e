import type { Flavor } from '../core/note.ts'
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
import {
  foldLabel,
  isExternal,
  labelEnd,
  parseLinkTail,
  unescapeReferences,
  unescapeText,
  type WrittenDestination,
} from './destinations.ts'
import { autolinkEnd, tagEnd as htmlTagEnd, htmlTarget } from './html.ts'
import type { LinkSink } from './link-sink.ts'
import { OpaqueSpans } from './prose/opaque-spans.ts'
import { maskGaps, type Run } from './prose/runs.ts'
import { forEachCell } from './tables.ts'
import { followsEmphasis, isColor, tagEnd, tagName } from './tags.ts'
import { isUrl, splitWikilink, wikilinkEnd } from './wikilinks.ts'

export interface FoundTag {
  readonly name: string
  readonly at: number
}

/** Matches characters that can start an inline construct. A regular expression is several times faster than a loop. */
const SPECIAL = /[\\`[\]<$#]|%(?=%)/g

export class InlineScanner {
  readonly tags: FoundTag[] = []
  readonly commentMarks: CommentMark[] = []
  readonly blocks: string[] = []
  /**
   * A callback for the file offsets and first character of each construct. A link is reported as `[` for its text and `]` for the
   * rest.
   */
  onSpan: ((start: number, end: number, mark: number) => void) | undefined
  readonly #sink: LinkSink
  readonly #definitions: ReadonlyMap<string, WrittenDestination>
  readonly #lenient: boolean
  readonly #logseq: boolean
  readonly #docs: boolean
  readonly #ignored: Flavor['ignoredTags']
  #opaque = new OpaqueSpans()

  // The source of the run. `base` is added to get offsets in the file.
  #src = ''
  #searched = ''
  #searchedFrom = 0
  #foundAt = -1
  #base = 0
  #start = 0
  #end = 0
  #run = 0
  #inRow = false
  #isOneLine = false
  /** The end of the last escape, tag or HTML tag. A `#` directly after it may start a tag. */
  #tokenEnd = -1
  /** The offset of the last escaped character. An escaped `!` does not start an embed. */
  #escaped = -1

  // Brackets below `#inactive` can start an image, but not a link.
  #open = 0
  readonly #at: number[] = []
  readonly #image: boolean[] = []
  readonly #nested: boolean[] = []
  #inactive = 0

  constructor(flavor: Flavor, definitions: ReadonlyMap<string, WrittenDestination>, sink: LinkSink) {
    this.#lenient = flavor.profile === 'lenient'
    this.#logseq = this.#lenient && flavor.mode === 'logseq'
    this.#docs = this.#lenient && flavor.mode === 'docs'
    this.#ignored = flavor.ignoredTags
    this.#definitions = definitions
    this.#sink = sink
  }

  scan(text: string, run: Run): void {
    this.#run++
    this.#inRow = run.kind === 'row'
    this.#isOneLine = this.#inRow || run.heading?.isSetext === false
    if (run.gaps) {
      this.#scanCopy(run, maskGaps(text, run.start, run.end, run.gaps))
      return
    }
    this.#src = text
    this.#base = 0
    this.#scanRun(run.kind, run.start, run.end)
  }

  /** Restores the caches after scanning a modified copy of the run. */
  #scanCopy(run: Run, copy: string): void {
    const opaque = this.#opaque
    const searched = this.#searched
    const searchedFrom = this.#searchedFrom
    const position = this.#foundAt
    this.#opaque = new OpaqueSpans()
    this.#src = copy
    this.#base = run.start
    this.#scanRun(run.kind, 0, run.end - run.start)
    this.#opaque = opaque
    this.#searched = searched
    this.#searchedFrom = searchedFrom
    this.#foundAt = position
  }

  #scanRun(kind: Run['kind'], start: number, end: number): void {
    if (kind === 'row') forEachCell(this.#src, start, end, (from, to) => this.#scanSpan(from, to))
    else if (kind === 'html') this.#scanHtml(start, end)
    else this.#scanSpan(start, end)
  }

  #scanSpan(start: number, end: number): void {
    const src = this.#src
    this.#start = start
    this.#end = end
    this.#opaque.begin(src, end)
    this.#tokenEnd = -1
    this.#escaped = -1
    this.#open = 0
    this.#inactive = 0
    this.#sink.begin(src, start, { base: this.#base, wholeLines: !this.#inRow })
    let i = this.#nextSpecial(start)
    while (i < end) {
      const mark = src.charCodeAt(i)
      const next = this.#special(mark, i)
      if (this.onSpan !== undefined && next > i + 1) this.#reportSpan(i, next, mark)
      i = this.#nextSpecial(next)
    }
    this.#findBlockId()
  }

  #reportSpan(start: number, end: number, mark: number): void {
    const base = this.#base
    // The bracket that was popped last starts the link.
    if (mark === RBRACKET) this.onSpan?.((this.#at[this.#open] as number) + base, start + base, LBRACKET)
    this.onSpan?.(start + base, end + base, mark)
  }

  /** Cached offsets beyond the run stay valid. */
  #nextSpecial(from: number): number {
    if (this.#src === this.#searched && from >= this.#searchedFrom && from <= this.#foundAt) return this.#foundAt
    SPECIAL.lastIndex = from
    this.#searched = this.#src
    this.#searchedFrom = from
    this.#foundAt = SPECIAL.test(this.#src) ? SPECIAL.lastIndex - 1 : Number.MAX_SAFE_INTEGER
    return this.#foundAt
  }

  #special(c: number, i: number): number {
    const src = this.#src
    switch (c) {
      case BACKSLASH:
        if (i + 1 >= this.#end || !isPunctuation(src.charCodeAt(i + 1))) return i + 1
        this.#escaped = i + 1
        this.#tokenEnd = i + 2
        return i + 2
      case BACKTICK: {
        const close = this.#opaque.codeEnd(i)
        return close === -1 ? this.#opaque.skipRun(i, BACKTICK) : close
      }
      case LBRACKET:
        return this.#openBracket(i)
      case RBRACKET:
        return this.#closeBracket(i)
      case LT:
        return this.#angle(i)
      case DOLLAR:
        return this.#opaque.mathEnd(i)
      case HASH:
        return this.#hash(i)
      default:
        return this.#percent(i)
    }
  }

  #angle(i: number): number {
    const src = this.#src
    const second = src.charCodeAt(i + 1)
    if (second === BANG || second === 63) return this.#opaque.markupEnd(i)
    const link = autolinkEnd(src, i, this.#end)
    if (link !== -1) return link
    const end = htmlTagEnd(src, i, this.#end)
    if (end === -1) return i + 1
    if (this.#docs) this.#addHtmlLink(i, end)
    this.#tokenEnd = end
    return end
  }

  /** Scans the tags of an HTML block, which are the only places for links. */
  #scanHtml(start: number, end: number): void {
    if (!this.#docs) return
    const src = this.#src
    this.#sink.begin(src, start, { base: this.#base, wholeLines: false })
    this.#opaque.begin(src, end)
    let i = src.indexOf('<', start)
    while (i !== -1 && i < end) {
      const comment = src.startsWith('<!--', i) ? this.#opaque.commentEnd(i) : 0
      const close = comment > 0 ? comment : htmlTagEnd(src, i, end)
      if (comment === 0 && close !== -1) this.#addHtmlLink(i, close)
      if (close > end) return
      i = src.indexOf('<', Math.max(close, i + 1))
    }
  }

  #addHtmlLink(start: number, end: number): void {
    const tag = htmlTarget(this.#src.slice(start, end))
    if (!tag) return
    const target = unescapeReferences(tag.raw)
    if (target === '' || isExternal(target)) return
    const attribute = { raw: tag.raw, start: start + tag.start + this.#base }
    this.#sink.addDestination(
      { kind: tag.embed ? 'embed' : 'link', form: 'html', start, end },
      { destination: target, written: attribute },
    )
  }

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
    this.#sink.wikilinks++
    if (this.#open > 0) this.#nested[this.#open - 1] = true
    // A link may contain an embed, but not another link.
    if (!embed) this.#inactive = this.#open
    const content = src.slice(open + 2, end - 2)
    const { target, subpath, display } = splitWikilink(content, this.#logseq ? 'logseq' : undefined)
    if (target === '' && subpath === undefined) return
    if (this.#lenient ? target.startsWith('|') || isUrl(target) : this.#inRow && /(?<!\\)\|/.test(content)) return
    const page = this.#logseq && !embed && open > this.#start && src.charCodeAt(open - 1) === HASH && open - 1 !== this.#escaped
    const start = embed || page ? open - 1 : open
    const kind = embed ? 'embed' : 'link'
    this.#sink.add({ kind, form: page ? 'page' : 'wikilink', start, end }, { target, subpath, display })
  }

  #closeBracket(i: number): number {
    const open = this.#open - 1
    if (open < 0) return i + 1
    this.#open = open
    const image = this.#image[open] as boolean
    const active = image || open >= this.#inactive
    if (this.#inactive > open) this.#inactive = open
    if (!active) return i + 1
    const before = this.#sink.links.length
    const end = this.#inlineLink(open, i) ?? this.#referenceLink(open, i)
    if (end === undefined) return i + 1
    if (this.#ignored?.inLinkText) this.#dropTags((this.#at[open] as number) + this.#base)
    if (image) this.#sink.dropMarkdown((this.#at[open] as number) + this.#base, before)
    if (!image) this.#inactive = open
    return end
  }

  #inlineLink(open: number, close: number): number | undefined {
    if (this.#src.charCodeAt(close + 1) !== LPAREN || close + 1 >= this.#end) return undefined
    const tail = parseLinkTail(this.#src, close + 1, this.#end)
    // The brackets in a Logseq destination are scanned next.
    if (tail && this.#lenient && !this.#image[open] && LOGSEQ_TARGET.test(tail.raw)) return close + 1
    if (tail) {
      const destination = { raw: tail.raw, start: tail.start + this.#base }
      this.#addMarkdownLink('markdown', open, { close, end: tail.end, written: destination })
    }
    return tail?.end
  }

  #referenceLink(open: number, close: number): number | undefined {
    const definitions = this.#definitions
    if (definitions.size === 0) return undefined
    const src = this.#src
    const from = this.#at[open] as number
    let end = close + 1
    let label: string | undefined
    const after = src.charCodeAt(end) === LBRACKET && end < this.#end ? labelEnd(src, end, this.#end) : -1
    if (after > end + 2) label = src.slice(end + 1, after - 1)
    else if (!this.#nested[open] && close - from <= 1000) label = src.slice(from + 1, close)
    if (after !== -1) end = after
    // A label with a leading `^` refers to a footnote.
    const folded = label === undefined || label.startsWith('^') ? undefined : foldLabel(label)
    const definition = folded === undefined ? undefined : definitions.get(folded)
    if (definition === undefined) return undefined
    this.#addMarkdownLink('reference', open, { close, end, written: definition })
    return end
  }

  #addMarkdownLink(
    form: 'markdown' | 'reference',
    open: number,
    { close, end, written }: { close: number; end: number; written: WrittenDestination },
  ): void {
    // Most links are external, and their destinations need no decoding.
    if (isExternal(written.raw)) {
      this.#sink.addOutside(written.raw, this.#at[open] as number)
      return
    }
    const destination = unescapeText(written.raw)
    if (destination === '' || isExternal(destination)) return
    if (!destination.startsWith('#')) this.#sink.relativeLinks++
    if (form === 'reference' && !this.#lenient) return
    const at = this.#at[open] as number
    const image = this.#image[open] as boolean
    const text = this.#src.slice(at + 1, close)
    const display = text === '' ? undefined : text
    const start = image ? at - 1 : at
    this.#sink.addDestination({ kind: image ? 'embed' : 'link', form, start, end }, { destination, display, written })
  }

  #hash(i: number): number {
    const src = this.#src
    if (!this.#mayBeginTag(i)) return i + 1
    let end = tagEnd(src, i, this.#end)
    if (end === -1) return i + 1
    // The second underscore of `_#tag_` ends the emphasis.
    if (i > this.#start && src[i - 1] === '_') while (end > i + 2 && src[end - 1] === '_') end--
    const name = tagName(src.slice(i + 1, end))
    if (!this.#ignored?.colors || !isColor(name)) this.tags.push({ name, at: i + this.#base })
    this.#tokenEnd = end
    return end
  }

  #dropTags(from: number): void {
    while ((this.tags.at(-1)?.at ?? -1) >= from) this.tags.pop()
  }

  #mayBeginTag(i: number): boolean {
    if (i === this.#start || i === this.#tokenEnd) return true
    const before = this.#src.charCodeAt(i - 1)
    return isWhitespace(before) || (isPunctuation(before) && followsEmphasis(this.#src, i, [this.#start, this.#end]))
  }

  #percent(i: number): number {
    const end = this.#opaque.skipRun(i, PERCENT)
    const pairs = (end - i) >> 1
    // An even number of pairs, such as `%%%%`, is an empty comment.
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
    return !this.#isOneLine
  }

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

/** Matches Logseq's `[text]([[page]])` and `[text](((block)))`. Page names may contain spaces. */
const LOGSEQ_TARGET = /^(?:\[\[.*\]\]|\(\(.*\)\))$/

function isIdCharacter(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 45
}
