import type { Mode } from '../core/note.ts'
import { isWhitespace, LBRACKET, LF, RBRACKET } from './chars.ts'

export function wikilinkEnd(text: string, start: number, end: number): number {
  // The inner pair of brackets in `[[[a]]]` is the link.
  if (text.charCodeAt(start + 2) === LBRACKET) return -1
  MARK.lastIndex = start + 2
  while (MARK.test(text)) {
    const i = MARK.lastIndex - 1
    const c = text.charCodeAt(i)
    if (c === LF || i + 1 >= end) return -1
    if (text.charCodeAt(i + 1) !== c) continue
    return c === RBRACKET && !isBlank(text, start + 2, i) ? i + 2 : -1
  }
  return -1
}

const MARK = /[\n[\]]/g

function isBlank(text: string, start: number, end: number): boolean {
  let i = start
  while (i < end && isWhitespace(text.charCodeAt(i))) i++
  return i >= end
}

export interface Wikilink {
  readonly target: string
  readonly subpath: string | undefined
  readonly display: string | undefined
}

export function splitWikilink(content: string, mode?: Mode): Wikilink {
  const pipe = content.indexOf('|', 1)
  let rest = content
  let display: string | undefined
  if (pipe !== -1) {
    display = content.slice(pipe + 1).trim()
    // The pipe of a link in a table is written as `\|`.
    rest = content.slice(0, content[pipe - 1] === '\\' ? pipe - 1 : pipe)
  }
  const hash = subpathAt(rest, mode)
  if (hash === -1) return { target: rest.trim(), subpath: undefined, display }
  // Keep the space in `[[C# notes]]`, because the link is looked up as written.
  return { target: rest.slice(0, hash).trim(), subpath: rest.slice(hash + 1).trimEnd(), display }
}

/** In Logseq, the `#` of `C#` and `F# notes` is part of the name of a page. */
export function subpathAt(head: string, mode: Mode | undefined): number {
  return mode === 'logseq' ? head.search(/#(?![ /]|$)/) : head.indexOf('#')
}

const URL = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:)/i

export function isUrl(target: string): boolean {
  return target.includes(':') && URL.test(target)
}
