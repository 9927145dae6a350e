import type { TextEdit } from '../../core/changes.ts'
import type { Flavor } from '../../core/note.ts'
import { editText } from '../../core/text/edit-text.ts'
import type { LinkSlots, TextRange, TextSlot, UnquotedValue } from '../../core/text/link-slots.ts'
import { type ReadFrontmatter, readFrontmatter } from '../frontmatter/frontmatter.ts'
import type { PropertyText } from '../frontmatter/plain-frontmatter.ts'
import type { PropertyLink } from '../frontmatter/properties.ts'
import { type CanvasText, sourceOffsets } from '../json-canvas/canvas-json.ts'

const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Escapes of YAML 1.2 (section 5.7) that stand for another character. */
const ESCAPED: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

/** Matches names that YAML reads as text without quotes. */
const PLAIN = /^(?!(?:true|false|null)$)\p{L}[\p{L}\p{M}\p{N} ._/-]*$/iu

/** Markdown embedded in another notation, such as a JSON string or a YAML value. */
export interface Passage {
  readonly text: string
  sourceOf(offset: number): number
  encode(text: string): string
}

/** @param sources the file offset of each character, and of the end */
function mappedPassage(text: string, sources: Uint32Array, encode: Passage['encode']): Passage {
  return { text, sourceOf: (offset) => sources[offset] ?? 0, encode }
}

export function cardPassage(file: string, card: CanvasText): Passage {
  const sources = new Uint32Array(card.value.length + 1)
  const sourceOf = sourceOffsets(file, card)
  for (let i = 0; i < sources.length; i++) sources[i] = sourceOf(i)
  return mappedPassage(card.value, sources, (text) => jsonContent(text, ''))
}

/** Returns the slot for the JSON string after `prefix`. */
export function stringSlot(file: string, { start, end }: CanvasText, prefix = ''): TextSlot {
  const raw = file.slice(start + 1, end - 1)
  return { start: start + 1 + prefix.length, end: end - 1, write: (value) => jsonContent(value, raw) }
}

function jsonContent(value: string, like: string): string {
  let text = JSON.stringify(value).slice(1, -1)
  if (like.includes('\\/')) text = text.replaceAll('/', '\\/')
  return /\\u(?!00[0-7])/i.test(like) ? text.replace(/[^\0-\x7f]/g, escaped) : text
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export function slotsInFile({ target, subpath, shownTarget, shown }: LinkSlots, passage: Passage): LinkSlots {
  return {
    target: slotInFile(target, passage),
    ...(subpath === undefined ? {} : { subpath: slotInFile(subpath, passage) }),
    ...(shownTarget === undefined ? {} : { shownTarget: slotInFile(shownTarget, passage) }),
    shown: rangeInFile(shown, passage),
  }
}

function slotInFile(slot: TextSlot, passage: Passage): TextSlot {
  const write = (value: string): string | undefined => {
    const text = slot.write(value)
    return text === undefined ? undefined : passage.encode(text)
  }
  return { ...rangeInFile(slot, passage), write }
}

function rangeInFile({ start, end }: TextRange, passage: Passage): TextRange {
  return { start: passage.sourceOf(start), end: passage.sourceOf(end) }
}

export function propertyPassage(file: string, { link, inValue, text, isLiteral }: PropertyLink): Passage | undefined {
  if (!isLiteral) return quotedPassage(file, text)
  const shift = link.start - inValue.start
  return { text: text.value, sourceOf: (offset) => offset + shift, encode: yamlEncoder(file[text.start]) }
}

function yamlEncoder(quote: string | undefined): Passage['encode'] {
  if (quote === '"') return (text) => JSON.stringify(text).slice(1, -1)
  if (quote === "'") return (text) => text.replaceAll("'", "''")
  return (text) => text
}

function quotedPassage(file: string, { value, start, end }: PropertyText): Passage | undefined {
  const quote = file[start]
  if ((quote !== '"' && quote !== "'") || file[end - 1] !== quote) return undefined
  const sources = new Uint32Array(value.length + 1)
  let at = start + 1
  let offset = 0
  while (at < end - 1 && offset < value.length) {
    const unit = quote === '"' ? doubleUnit(file, at) : singleUnit(file, at)
    if (unit === undefined || !value.startsWith(unit.text, offset)) return undefined
    // Both halves of a surrogate pair map to the same escape.
    for (let i = 0; i < unit.text.length; i++) sources[offset + i] = at
    offset += unit.text.length
    at += unit.length
  }
  if (offset !== value.length || at !== end - 1) return undefined
  sources[offset] = at
  return mappedPassage(value, sources, yamlEncoder(quote))
}

interface Unit {
  readonly text: string
  readonly length: number
}

function singleUnit(file: string, at: number): Unit | undefined {
  const c = file[at] as string
  if (c === '\n') return undefined
  return c === "'" ? { text: c, length: 2 } : { text: c, length: 1 }
}

function doubleUnit(file: string, at: number): Unit | undefined {
  const c = file[at] as string
  if (c === '\n') return undefined
  if (c !== '\\') return { text: c, length: 1 }
  const kind = file[at + 1] ?? ''
  const digits = HEX[kind]
  if (digits === undefined) return { text: ESCAPED[kind] ?? kind, length: 2 }
  const code = Number.parseInt(file.slice(at + 2, at + 2 + digits), 16)
  return code <= 0x10ffff ? { text: String.fromCodePoint(code), length: 2 + digits } : undefined
}

/**
 * Returns an unquoted value and a function that adds quotes where edits need them.
 * @returns `undefined` for quoted or multi-line values
 */
export function unquotedValue(
  text: string,
  { start, end }: PropertyText,
  { frontmatter, flavor }: { readonly frontmatter: ReadFrontmatter; readonly flavor: Flavor },
): UnquotedValue | undefined {
  const quoted = text.slice(start, end)
  if (/^["'|>]/.test(quoted) || quoted.includes('\n')) return undefined
  const quotedWith = (edits: readonly TextEdit[]): string | undefined => {
    if (edits.every((edit) => PLAIN.test(edit.text))) return undefined
    const source = editText(
      quoted,
      edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    )
    const after = readFrontmatter(text.slice(0, start) + source + text.slice(end), flavor)
    const isWhole = after.texts.some((each) => each.start === start && each.end === start + source.length)
    return isWhole && hasSameShape(frontmatter.properties, after.properties) ? undefined : JSON.stringify(source)
  }
  return { start, end, quotedWith }
}

function hasSameShape(before: unknown, other: unknown): boolean {
  if (typeof before !== 'object' || before === null || typeof other !== 'object' || other === null) {
    return before === other || (typeof before === 'string' && typeof other === 'string')
  }
  const [entriesBefore, others] = [Object.entries(before), Object.entries(other)]
  return (
    entriesBefore.length === others.length &&
    entriesBefore.every(([key, value], at) => key === others[at]?.[0] && hasSameShape(value, others[at]?.[1]))
  )
}
