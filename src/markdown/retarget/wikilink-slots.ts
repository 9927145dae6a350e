import type { LinkSlots, TextRange, TextSlot } from '../../core/text/link-slots.ts'
import { isUrl, splitWikilink, type Wikilink, wikilinkEnd } from '../wikilinks.ts'

/** The slots of the wikilink `[[…]]`, `![[…]]` or `#[[…]]` that stands at `range`. */
export function wikilinkSlots(text: string, range: TextRange): LinkSlots | undefined {
  const open = text.indexOf('[[', range.start)
  if (open === -1 || open > range.start + 1 || wikilinkEnd(text, open, range.end) !== range.end) return undefined
  const content = text.slice(open + 2, range.end - 2)
  const parts = splitWikilink(content)
  const headEnd = headLength(content)
  const hash = content.slice(0, headEnd).indexOf('#')
  const at = open + 2
  const slot = (from: number, to: number, part: 'target' | 'subpath'): TextSlot => {
    const inner = content.slice(from, to)
    const start = from + inner.length - inner.trimStart().length
    const end = inner.trim() === '' ? start : from + inner.trimEnd().length
    const write = (value: string): string | undefined => {
      const written = content.slice(0, start) + value + content.slice(end)
      return says(written, { ...parts, [part]: value }) ? value : undefined
    }
    return { start: at + start, end: at + end, write }
  }
  const target = slot(0, hash === -1 ? headEnd : hash, 'target')
  return hash === -1 ? { target, shown: range } : { target, subpath: slot(hash + 1, headEnd, 'subpath'), shown: range }
}

/** How much of the content stands before the display text. */
function headLength(content: string): number {
  const pipe = content.indexOf('|', 1)
  if (pipe === -1) return content.length
  return content[pipe - 1] === '\\' ? pipe - 1 : pipe
}

/** Whether the content between the brackets is read as these parts. */
function says(content: string, wanted: Wikilink): boolean {
  const link = `[[${content}]]`
  if (wikilinkEnd(link, 0, link.length) !== link.length) return false
  const { target, subpath, display } = splitWikilink(content)
  if (target.startsWith('|') || isUrl(target)) return false
  return target === wanted.target && subpath === wanted.subpath && display === wanted.display
}
