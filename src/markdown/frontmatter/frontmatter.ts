import { DEFAULT_FLAVOR, type Flavor, type MalformedPart } from '../../core/note.ts'
import { CR, DASH, isSpaceOrTab } from '../chars.ts'
import { addLines, LineIndex } from '../line-index.ts'
import { type PropertyText, readPlainFrontmatter } from './plain-frontmatter.ts'
import { readFullFrontmatter } from './yaml-frontmatter.ts'

const KEY = /^(tags?|alias(?:es)?)[ \t]*:(.*)$/i

const ITEM = /^[ \t]*-(?:[ \t]+(?![ \t])([\s\S]*))?$/

export interface Fences {
  readonly from: number
  readonly to: number
  readonly end: number
}

export interface ReadFrontmatter {
  readonly properties: Readonly<Record<string, unknown>>
  readonly texts: readonly PropertyText[]
  readonly tags: readonly PropertyText[]
  readonly saved?: Readonly<Record<string, unknown>>
  readonly malformed: readonly MalformedPart[]
  readonly end: number
}

/** @param start offset after a byte order mark */
export function findFences(text: string, start: number): Fences | 'none' | 'unclosed' {
  const from = fenceEnd(text, start)
  if (from === -1) return 'none'
  let at = from
  while (at < text.length) {
    const end = fenceEnd(text, at)
    if (end !== -1) return { from, to: at, end }
    const newline = text.indexOf('\n', at)
    if (newline === -1) break
    at = newline + 1
  }
  return 'unclosed'
}

function fenceEnd(text: string, at: number): number {
  // This check runs for every line and is faster than `startsWith`.
  if (text.charCodeAt(at) !== DASH || text.charCodeAt(at + 1) !== DASH || text.charCodeAt(at + 2) !== DASH) return -1
  let i = at + 3
  while (i < text.length && isSpaceOrTab(text.charCodeAt(i))) i++
  if (text.charCodeAt(i) === CR && text[i + 1] === '\n') i++
  if (i >= text.length) return i
  return text[i] === '\n' ? i + 1 : -1
}

export function bodyStartOf(text: string): number {
  const start = textStart(text)
  const fences = findFences(text, start)
  return typeof fences === 'string' ? start : fences.end
}

function textStart(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0
}

const NONE: readonly never[] = []

export function readFrontmatter(text: string, flavor: Flavor = DEFAULT_FLAVOR, lines = new LineIndex()): ReadFrontmatter {
  const start = textStart(text)
  const fences = findFences(text, start)
  if (typeof fences === 'string') {
    const malformed = fences === 'unclosed' ? unclosed(text, start) : otherLanguage(text, start)
    return { properties: {}, texts: [], tags: [], malformed, end: start }
  }
  addLines(lines, text, 0, fences.end)
  const { from, to, end } = fences
  const plain = readPlainFrontmatter(text, from, to)
  if (plain) return { properties: plain.properties, texts: plain.texts, tags: plain.texts, malformed: NONE, end }
  const { properties, texts, malformed } = readFullFrontmatter(text, [from, to], lines)
  if (!malformed) return { properties, texts, tags: texts, malformed: [], end }
  const saved = flavor.profile === 'lenient' ? salvage(text, from, to) : []
  const aliases = saved.filter(({ key }) => key.startsWith('alias')).map(({ value }) => value)
  return { properties, texts: [], tags: saved, saved: { aliases }, malformed: [malformed], end }
}

/** A `---` line that is not followed by properties is only a thematic break. */
function unclosed(text: string, start: number): readonly MalformedPart[] {
  const second = text.indexOf('\n', start) + 1
  if (second === 0 || !/^[\w-][\w -]*:(?:\s|$)/.test(text.slice(second, second + 200))) return []
  return [{ line: 1, message: 'The frontmatter is never closed with ---, so it is treated as text.' }]
}

/** Matches frontmatter in another language, such as `---js`, which some site generators support. */
const LANGUAGE = /---[a-z][\w-]*(?=[ \t]*\r?\n)/y

function otherLanguage(text: string, start: number): readonly MalformedPart[] {
  LANGUAGE.lastIndex = start
  const fence = LANGUAGE.exec(text)?.[0]
  if (fence === undefined || !/\n---[ \t]*(?:\r?\n|$)/.test(text)) return NONE
  const message = `Frontmatter must be YAML or JSON after a first line "---". The block that starts with "${fence}" is treated as text.`
  return [{ line: 1, message }]
}

/** Recovers tags and aliases from invalid YAML, line by line. */
function salvage(text: string, from: number, to: number): readonly PropertyText[] {
  const texts: PropertyText[] = []
  let key: string | undefined
  let at = from
  while (at < to) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 || newline > to ? to : newline
    const line = text.slice(at, end).trimEnd()
    const head = KEY.exec(line)
    const item = ITEM.exec(line)
    if (head) {
      key = (head[1] as string).toLowerCase()
      for (const part of splitInline(head[2] as string)) add(texts, key, part, [at, at + line.length])
    } else if (item && key !== undefined) add(texts, key, item[1] ?? '', [at, at + line.length])
    else if (/^[^\s#]/.test(line)) key = undefined
    at = end + 1
  }
  return texts
}

function splitInline(value: string): readonly string[] {
  const list = value.trim()
  return list.startsWith('[') ? list.slice(1, list.endsWith(']') ? -1 : undefined).split(',') : [value]
}

function add(texts: PropertyText[], key: string, item: string, range: readonly [number, number]): void {
  const comment = item.search(/\s#\s/)
  const value = (comment === -1 ? item : item.slice(0, comment))
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim()
  if (value !== '') texts.push({ key, value, start: range[0], end: range[1] })
}
