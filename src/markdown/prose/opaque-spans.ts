import { BACKSLASH, BACKTICK, DOLLAR, isWhitespace, LBRACKET, LF } from '../chars.ts'
import { wikilinkEnd } from '../wikilinks.ts'

class NextOf {
  readonly #needle: string
  #text = ''
  #from = 0
  #at = -1

  constructor(needle: string) {
    this.#needle = needle
  }

  /** @returns the offset of the first occurrence, or `Infinity` */
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

export class OpaqueSpans {
  #src = ''
  #end = 0
  #ticks: Map<number, number> | undefined
  #mathClose = -1
  readonly #next = new Map<string, NextOf>()

  begin(src: string, end: number): void {
    this.#src = src
    this.#end = end
    this.#ticks = undefined
    this.#mathClose = -1
  }

  skipRun(from: number, c: number): number {
    let i = from
    while (i < this.#end && this.#src.charCodeAt(i) === c) i++
    return i
  }

  /** @returns the offset after the code span, or -1 */
  codeEnd(start: number): number {
    const src = this.#src
    const content = this.skipRun(start, BACKTICK)
    const length = content - start
    if (this.#ticks && (this.#ticks.get(length) ?? -1) < content) return -1
    let from = src.indexOf('`', content)
    while (from !== -1 && from < this.#end) {
      const to = this.skipRun(from, BACKTICK)
      if (to - from === length) return to
      from = src.indexOf('`', to)
    }
    this.#ticks ??= this.#lastTicks(content)
    return -1
  }

  /** Returns the last backtick run of each length. A span of that length cannot close after it. */
  #lastTicks(from: number): Map<number, number> {
    const last = new Map<number, number>()
    let at = this.#src.indexOf('`', from)
    while (at !== -1 && at < this.#end) {
      const to = this.skipRun(at, BACKTICK)
      last.set(to - at, at)
      at = this.#src.indexOf('`', to)
    }
    return last
  }

  /** @returns the offset after the formula, or after its opening marks if it is not closed */
  mathEnd(i: number): number {
    const src = this.#src
    const run = this.skipRun(i, DOLLAR)
    if (run - i >= 2) {
      const close = this.#find('$$', run)
      return run - i === 2 && close + 2 <= this.#end ? close + 2 : run
    }
    if (run >= this.#end || isWhitespace(src.charCodeAt(run))) return run
    if (this.#mathClose < run + 1) this.#mathClose = this.#findMathClose(run)
    return src.charCodeAt(this.#mathClose) === DOLLAR && this.#mathClose < this.#end ? this.#mathClose + 1 : run
  }

  #findMathClose(from: number): number {
    const src = this.#src
    let i = from
    while (i < this.#end) {
      const c = src.charCodeAt(i)
      if (c === LF) return i
      if (c === BACKSLASH) i += 2
      else if (c === DOLLAR && i > from && !isWhitespace(src.charCodeAt(i - 1))) return i
      else if (c === LBRACKET && src.charCodeAt(i + 1) === LBRACKET) i = Math.max(wikilinkEnd(src, i, this.#end), i + 1)
      else if (c === BACKTICK) i = Math.max(this.codeEnd(i), this.skipRun(i, BACKTICK))
      else i++
    }
    return this.#end
  }

  /** @returns the offset after the comment, processing instruction, declaration or CDATA, or after `<` if it is not closed */
  markupEnd(i: number): number {
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

  /** @returns the offset after the comment, or `Infinity` */
  commentEnd(i: number): number {
    return this.#find('-->', i + 4) + 3
  }

  /** @returns the offset of the next occurrence, or `Infinity` */
  #find(needle: string, from: number): number {
    let next = this.#next.get(needle)
    if (!next) {
      next = new NextOf(needle)
      this.#next.set(needle, next)
    }
    return next.find(this.#src, from)
  }
}
