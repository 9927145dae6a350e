import type { Tag } from '../core/note.ts'
import { foldName } from '../core/text/fold.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { isDigit, isTagCharacter, SLASH } from './chars.ts'

/** @returns the offset after the tag, or -1 if the name is empty or numeric */
export function tagEnd(text: string, start: number, end: number): number {
  let i = start + 1
  let hasLetter = false
  for (; i < end; i++) {
    const c = text.charCodeAt(i)
    if (!isTagCharacter(c)) break
    if (!isDigit(c) && c !== SLASH) hasLetter = true
  }
  return hasLetter ? i : -1
}

export function tagName(tag: string): string {
  let end = tag.length
  while (end > 0 && tag.charCodeAt(end - 1) === SLASH) end--
  return tag.slice(0, end)
}

export function isColor(name: string): boolean {
  return /^[0-9a-f]{3,8}$/i.test(name)
}

/** @returns `undefined` if the item is not a valid tag */
export function propertyTag(item: string): string | undefined {
  const bare = item.trim().replace(/^#/, '')
  return tagEnd(`#${bare}`, 0, bare.length + 1) === bare.length + 1 ? tagName(bare) : undefined
}

/** The distance to search, in code units. Lines can be megabytes long. */
const REACH = 400

/** Checks for emphasis around a tag. Both marks must be on the same line. */
export function followsEmphasis(text: string, at: number, bounds: readonly [start: number, end: number]): boolean {
  const mark = text[at - 1] as string
  if (!'*_~='.includes(mark)) return false
  const before = lineBefore(text, at, bounds[0])
  const marks = before.length - trimEndOf(before, mark).length
  const head = before.slice(0, before.length - marks)
  // Emphasis marks may occur in a URL.
  if (/:\/\/\S*$/.test(head)) return false
  if (head === '' || !isTagCharacter(head.charCodeAt(head.length - 1))) return lineAfter(text, at, bounds[1]).includes(mark)
  const open = head.lastIndexOf(mark)
  return open === 0 || (open > 0 && !isTagCharacter(head.charCodeAt(open - 1)))
}

function lineBefore(text: string, at: number, start: number): string {
  const head = text.slice(Math.max(start, at - REACH), at)
  return head.slice(head.lastIndexOf('\n') + 1)
}

function lineAfter(text: string, at: number, end: number): string {
  const tail = text.slice(at, Math.min(end, at + REACH))
  const newline = tail.indexOf('\n')
  return newline === -1 ? tail : tail.slice(0, newline)
}

/** A set of tags that keeps the first spelling of each tag. */
export class TagSet {
  readonly #tags: Tag[] = []
  readonly #folded = new Set<string>()

  add(name: string, line: number, inBody: boolean): void {
    const folded = foldName(name)
    if (this.#folded.has(folded)) return
    this.#folded.add(folded)
    this.#tags.push({ name, line, inBody })
  }

  list(): readonly Tag[] {
    return this.#tags
  }
}
