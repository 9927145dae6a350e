import type { PropertyText } from './plain-frontmatter.ts'

const KEY = /^(tags?|alias(?:es)?)[ \t]*:(.*)$/i
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/

/** Reads tags and aliases line by line from frontmatter that no YAML parser accepts. */
export function salvage(text: string, from: number, to: number): readonly PropertyText[] {
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

/** The items of `[a, "b"]`, or the one value that stands there. */
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
