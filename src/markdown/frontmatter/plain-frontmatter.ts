import { isDigit, isLetter } from '../chars.ts'

export interface PropertyText {
  /** The path of the key, joined with `.`. List items have the path of their list. */
  readonly key: string
  readonly value: string
  /** The range of the value's source in the file, including quotes. */
  readonly start: number
  readonly end: number
  /** True for an unquoted `[[a]]`, which YAML reads as a nested list. `value` is its source. */
  readonly unquoted?: true
  readonly nested?: true
}

export interface Frontmatter {
  readonly properties: Readonly<Record<string, unknown>>
  readonly texts: readonly PropertyText[]
}

/** Returns true for a character of a plain key. The caller also accepts single dashes and single spaces. */
function isKeyCharacter(c: number): boolean {
  return isLetter(c) || isDigit(c) || c === 95 || (c >= 0xc0 && c <= 0x1fff) || (c >= 0x3040 && c <= 0xd7ff)
}

const ITEM = /( *)-(?=[ \n]|\r\n|$)/y
/** Matches words that YAML reads as other types. */
const NOT_TEXT = /^(?:null|true|false|~)$/i
/** Matches keys that YAML reads as other types, and `__proto__`, whose assignment would set the prototype. */
const RESERVED_KEY = /^(?:null|true|false|__proto__)$/i
const TAG_KEY = /^tags?$/i
const NUMBER = /^[-+]?(?:0o[0-7]+|0x[0-9a-f]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?|\.inf|\.nan)$/i
const PLAIN_NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,6})?$/
const FLOW_ITEM = /^[\w\u00c0-\u1fff\u3040-\ud7ff/][\w\u00c0-\u1fff\u3040-\ud7ff /.+-]*$/
const INDICATORS = '?:,[]{}#&*!|>\'"%@`'

const OTHER = Symbol('other')

/**
 * Reads one-line scalars and flat lists exactly like YAML 1.2 core. The reader is ten times as fast as the full parser, and is
 * enough for almost every note.
 * @returns `undefined` for any other YAML
 */
export function readPlainFrontmatter(text: string, from: number, to: number): Frontmatter | undefined {
  return new PlainReader(text, to).read(from)
}

class PlainReader {
  readonly #properties: Record<string, unknown> = {}
  readonly #texts: PropertyText[] = []
  readonly #text: string
  readonly #to: number
  #eol = 0
  #next = 0
  #key = ''
  #tagKey = false

  constructor(text: string, to: number) {
    this.#text = text
    this.#to = to
  }

  read(from: number): Frontmatter | undefined {
    const text = this.#text
    let at = from
    while (at < this.#to) {
      this.#findLineEnd(at)
      if (at === this.#eol || text.charCodeAt(at) === 35) {
        if (hasControl(text, at, this.#eol)) return undefined
        at = this.#next
        continue
      }
      const colon = this.#keyEnd(at)
      if (colon === -1) return undefined
      const key = text.slice(at, colon)
      if (key.length <= 9 && RESERVED_KEY.test(key)) return undefined
      if (Object.hasOwn(this.#properties, key)) return undefined
      this.#key = key
      this.#tagKey = key.length <= 4 && TAG_KEY.test(key)
      const value = this.#readValue(colon + 1)
      if (value === OTHER) return undefined
      this.#properties[key] = value
      at = this.#next
    }
    return { properties: this.#properties, texts: this.#texts }
  }

  #keyEnd(at: number): number {
    const text = this.#text
    const first = text.charCodeAt(at)
    if (!isKeyCharacter(first) || isDigit(first)) return -1
    let i = at + 1
    for (; i < this.#eol; i++) {
      const c = text.charCodeAt(i)
      if (c === 58) break
      if (!isKeyCharacter(c) && !(c === 45 || (c === 32 && isKeyCharacter(text.charCodeAt(i + 1))))) return -1
    }
    return i < this.#eol && (i + 1 === this.#eol || text.charCodeAt(i + 1) === 32) ? i : -1
  }

  #findLineEnd(at: number): void {
    const newline = this.#text.indexOf('\n', at)
    const end = newline === -1 || newline >= this.#to ? this.#to : newline
    this.#next = end === this.#to ? this.#to : end + 1
    this.#eol = end > at && this.#text.charCodeAt(end - 1) === 13 ? end - 1 : end
  }

  #readValue(from: number): unknown {
    const start = this.#skipSpaces(from)
    if (start < this.#eol) return this.#text[start] === '[' ? this.#readFlow(start) : this.#readScalar(start)
    return this.#readItems()
  }

  #skipSpaces(from: number): number {
    let i = from
    while (i < this.#eol && this.#text.charCodeAt(i) === 32) i++
    return i
  }

  #readItems(): unknown {
    let items: unknown[] | null = null
    let indent = -1
    while (this.#next < this.#to) {
      const at = this.#next
      ITEM.lastIndex = at
      const dash = ITEM.exec(this.#text)
      if (!dash) break
      const width = (dash[1] as string).length
      if (indent !== -1 && width !== indent) return OTHER
      indent = width
      this.#findLineEnd(at)
      const start = this.#skipSpaces(ITEM.lastIndex)
      const value = start < this.#eol ? this.#readScalar(start) : null
      if (value === OTHER) return OTHER
      items ??= []
      items.push(value)
    }
    return items
  }

  #readScalar(start: number): unknown {
    const text = this.#text
    const c = text[start] as string
    if (c === '"' || c === "'") {
      const close = this.#quoteEnd(start, c)
      if (close === -1 || this.#skipSpaces(close) < this.#eol) return OTHER
      return this.#keep(text.slice(start + 1, close - 1), start, close)
    }
    if (INDICATORS.includes(c)) return OTHER
    let end = this.#eol
    while (end > start && text.charCodeAt(end - 1) === 32) end--
    const value = text.slice(start, end)
    if (c === '-' && (value.length === 1 || value.startsWith('- '))) return OTHER
    if (value.includes(': ') || value.includes(' #') || value.endsWith(':') || hasControl(value, 0, value.length)) return OTHER
    return this.#resolve(value, start, end)
  }

  /** @returns -1 for text with escapes or several lines */
  #quoteEnd(start: number, quote: string): number {
    const text = this.#text
    const close = text.indexOf(quote, start + 1)
    if (close === -1 || close >= this.#eol) return -1
    if (quote === "'" ? text[close + 1] === "'" : text.slice(start, close).includes('\\')) return -1
    return hasControl(text, start, close) ? -1 : close + 1
  }

  #resolve(value: string, start: number, end: number): unknown {
    const c = value.charCodeAt(0)
    if ((c >= 48 && c <= 57) || c === 43 || c === 45 || c === 46) {
      if (PLAIN_NUMBER.test(value) && value !== '-0') return Number(value)
      if (NUMBER.test(value)) return OTHER
    } else if (value.length <= 5 && NOT_TEXT.test(value)) {
      if (value === 'true' || value === 'false') return value === 'true'
      return value === 'null' || value === '~' ? null : OTHER
    }
    return this.#keep(value, start, end)
  }

  #readFlow(start: number): unknown {
    const text = this.#text
    const items: unknown[] = []
    let at = this.#skipSpaces(start + 1)
    if (text[at] === ']') return this.#skipSpaces(at + 1) < this.#eol ? OTHER : items
    for (;;) {
      const value = this.#readFlowItem(at)
      if (value === OTHER) return OTHER
      items.push(value)
      at = this.#skipSpaces(this.#itemEnd)
      if (at >= this.#eol) return OTHER
      if (text[at] === ']') return this.#skipSpaces(at + 1) < this.#eol ? OTHER : items
      if (text[at] !== ',') return OTHER
      at = this.#skipSpaces(at + 1)
    }
  }

  #itemEnd = 0

  #readFlowItem(start: number): unknown {
    const text = this.#text
    const c = text[start]
    if (c === '"' || c === "'") {
      const close = this.#quoteEnd(start, c)
      if (close === -1) return OTHER
      this.#itemEnd = close
      return this.#keep(text.slice(start + 1, close - 1), start, close)
    }
    let end = start
    while (end < this.#eol && text[end] !== ',' && text[end] !== ']') end++
    this.#itemEnd = end
    while (end > start && text.charCodeAt(end - 1) === 32) end--
    const value = text.slice(start, end)
    return FLOW_ITEM.test(value) ? this.#resolve(value, start, end) : OTHER
  }

  #keep(value: string, start: number, end: number): string {
    if (this.#tagKey || holdsLink(value)) this.#texts.push({ key: this.#key, value, start, end })
    return value
  }
}

export function carriesFacts(key: string, value: string): boolean {
  return holdsLink(value) || TAG_KEY.test(key)
}

function holdsLink(value: string): boolean {
  return value.includes('[[') || value.includes('](')
}

function hasControl(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) < 32) return true
  return false
}
