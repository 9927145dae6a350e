import { EQUALS, GT, isDigit, isLetter, isWhitespace, LT, SLASH, skipWhitespace } from './chars.ts'

const QUOTE = 34
const APOSTROPHE = 39

function isNameCharacter(c: number): boolean {
  return isLetter(c) || isDigit(c) || c === 45
}

function isAttributeCharacter(c: number): boolean {
  return isNameCharacter(c) || c === 95 || c === 58 || c === 46
}

/** @returns the offset after the tag, or -1 */
export function tagEnd(text: string, start: number, end: number): number {
  if (text.charCodeAt(start + 1) === SLASH) return closingTagEnd(text, start, end)
  let i = start + 1
  if (i >= end || !isLetter(text.charCodeAt(i))) return -1
  while (i < end && isNameCharacter(text.charCodeAt(i))) i++
  for (;;) {
    const next = skipWhitespace(text, i, end)
    if (next >= end) return -1
    const c = text.charCodeAt(next)
    if (c === GT) return next + 1
    if (c === SLASH) return next + 1 < end && text.charCodeAt(next + 1) === GT ? next + 2 : -1
    if (next === i) return -1
    i = attributeEnd(text, next, end)
    if (i === -1) return -1
  }
}

function closingTagEnd(text: string, start: number, end: number): number {
  let i = start + 2
  if (i >= end || !isLetter(text.charCodeAt(i))) return -1
  while (i < end && isNameCharacter(text.charCodeAt(i))) i++
  i = skipWhitespace(text, i, end)
  return i < end && text.charCodeAt(i) === GT ? i + 1 : -1
}

function attributeEnd(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start)
  if (!isLetter(first) && first !== 95 && first !== 58) return -1
  let i = start + 1
  while (i < end && isAttributeCharacter(text.charCodeAt(i))) i++
  const equals = skipWhitespace(text, i, end)
  if (equals >= end || text.charCodeAt(equals) !== EQUALS) return i
  return valueEnd(text, skipWhitespace(text, equals + 1, end), end)
}

function valueEnd(text: string, start: number, end: number): number {
  if (start >= end) return -1
  const quote = text.charCodeAt(start)
  let i = start + 1
  if (quote === QUOTE || quote === APOSTROPHE) {
    while (i < end && text.charCodeAt(i) !== quote) i++
    return i < end ? i + 1 : -1
  }
  i = start
  while (i < end && !isWhitespace(text.charCodeAt(i)) && !'"\'=<>`'.includes(text[i] as string)) i++
  return i === start ? -1 : i
}

const AUTOLINK =
  /^(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:.*|[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*)$/

/** @returns the offset after `<scheme:…>` or `<a@b.c>`, or -1 */
export function autolinkEnd(text: string, start: number, end: number): number {
  let i = start + 1
  let mark = false
  for (; i < end; i++) {
    const c = text.charCodeAt(i)
    if (c === GT) break
    if (c <= 32 || c === 127 || c === LT) return -1
    if (c === 58 || c === 64) mark = true
  }
  if (i >= end || !mark) return -1
  return AUTOLINK.test(text.slice(start + 1, i)) ? i + 1 : -1
}

/** Returns the `href` or `src` of an `<a …>` or `<img …>` tag. `start` is its offset in the tag. */
export function htmlTarget(tag: string): { raw: string; start: number; embed: boolean } | undefined {
  const name = /^<(a|img)[\s/>]/i.exec(tag)?.[1]?.toLowerCase()
  if (!name) return undefined
  const attributeName = name === 'a' ? 'href' : 'src'
  for (const { 0: attribute, 1: key, 2: double, 3: single, 4: bare, index } of tag.matchAll(ATTRIBUTES)) {
    if (key?.toLowerCase() !== attributeName) continue
    const value = double ?? single ?? bare ?? ''
    const quote = double === undefined && single === undefined ? 0 : 1
    const start = index + attribute.length - quote - value.trimStart().length
    return { raw: value.trim(), start, embed: name === 'img' }
  }
  return undefined
}

const ATTRIBUTES = /\s([A-Za-z_:][\w.:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

const BLOCK_NAMES =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|' +
  'figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|' +
  'noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
const RAW = /^<(?:script|pre|style|textarea)(?:[\s>]|$)/i
const BLOCK = new RegExp(`^</?(?:${BLOCK_NAMES})(?:\\s|/?>|$)`, 'i')

/** @returns the block kind in CommonMark (1–7), or 0 */
export function htmlBlockKind(text: string, start: number, end: number): number {
  const second = text.charCodeAt(start + 1)
  if (second === 33) {
    if (text.startsWith('<!--', start)) return 2
    if (text.startsWith('<![CDATA[', start)) return 5
    return start + 2 < end && isLetter(text.charCodeAt(start + 2)) ? 4 : 0
  }
  if (second === 63) return 3
  if (second !== SLASH && !isLetter(second)) return 0
  // Only the first characters are examined. Lines can be very long, but block names are shorter than 16 characters.
  const head = text.slice(start, Math.min(end, start + 16))
  if (RAW.test(head)) return 1
  if (BLOCK.test(head)) return 6
  const after = tagEnd(text, start, end)
  return after !== -1 && skipWhitespace(text, after, end) >= end ? 7 : 0
}

const CLOSERS: readonly (string | undefined)[] = [undefined, undefined, '-->', '?>', '>', ']]>']
const RAW_CLOSER = /<\/(?:script|pre|style|textarea)>/i

/** Returns true if a line closes the block. Blocks of the kinds 6 and 7 end at a blank line. */
export function closesHtmlBlock(kind: number, line: string): boolean {
  if (kind === 1) return RAW_CLOSER.test(line)
  const closer = CLOSERS[kind]
  return closer !== undefined && line.includes(closer)
}
