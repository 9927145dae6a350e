import type { Link } from '../core/note.ts'
import { COLON, LF } from './chars.ts'
import { splitDestination, type WrittenDestination } from './destinations.ts'
import type { LineIndex } from './line-index.ts'
import type { Wikilink } from './wikilinks.ts'

/** Matches a key in Dataview or Logseq: words, optionally emphasized, optionally after a task checkbox. */
const KEY =
  /^\s*(?:\[.\]\s+)?[*_~]*([\p{L}\p{N}\p{Extended_Pictographic}][\p{L}\p{N}\p{Extended_Pictographic}\p{Mn}\s_/-]*?)[*_~]*\s*$/u

const MAX_KEY = 80

export type MutableLink = { -readonly [Key in keyof Link]: Link[Key] }

const VAULT_SCHEME = 'obsidian:'

export type LinkPlace = Pick<Link, 'kind' | 'form' | 'start' | 'end'>

/** The destinations by link, not decoded. Reference links have the destination of their definition. */
export type Destinations = Map<Link, WrittenDestination>

interface LinkDestination {
  /** The destination, decoded except for percent-encoding. */
  readonly destination: string
  readonly display?: string | undefined
  readonly written: WrittenDestination
}

export class LinkSink {
  readonly links: MutableLink[] = []
  /** The `obsidian://` links to notes in a named vault, not decoded. */
  readonly vaultLinks: { readonly raw: string; readonly line: number }[] = []
  wikilinks = 0
  relativeLinks = 0
  /** True if `links` is not sorted by position. */
  isUnsorted = false
  readonly #lines: LineIndex
  readonly #fields: FieldTracker | undefined
  readonly #destinations: Destinations | undefined
  #base = 0
  #last = -1

  /** @param destinations receives destinations that are not decoded; only edits need them */
  constructor(lines: LineIndex, fields: boolean, destinations?: Destinations) {
    this.#lines = lines
    this.#destinations = destinations
    this.#fields = fields ? new FieldTracker() : undefined
  }

  /** Begins a run. `base` is added to offsets in `src` to get offsets in the file. */
  begin(src: string, start: number, { base, wholeLines }: { base: number; wholeLines: boolean }): void {
    this.#base = base
    this.#fields?.begin(src, start, wholeLines)
  }

  addDestination(place: LinkPlace, { destination, display, written }: LinkDestination): void {
    const link = this.add(place, { ...splitDestination(destination), display })
    this.#destinations?.set(link, written)
  }

  /** Records a link to another vault. All other external links are ignored. */
  addOutside(raw: string, start: number): void {
    if (raw.startsWith(VAULT_SCHEME)) this.vaultLinks.push({ raw, line: this.#lines.lineAt(start + this.#base) })
  }

  add(place: LinkPlace, parts: Wikilink): Link {
    const property = place.kind === 'link' ? this.#fields?.keyAt(place.start) : undefined
    const start = place.start + this.#base
    const line = this.#lines.lineAt(start)
    const link: MutableLink = {
      kind: property === undefined ? place.kind : 'property',
      form: place.form,
      target: parts.target,
      line,
      column: start - this.#lines.startOf(line) + 1,
      start,
      end: place.end + this.#base,
    }
    if (parts.subpath !== undefined) link.subpath = parts.subpath
    if (parts.display !== undefined) link.display = parts.display
    if (property !== undefined) link.property = property
    if (start < this.#last) this.isUnsorted = true
    this.#last = start
    this.links.push(link)
    return link
  }

  dropMarkdown(start: number, count: number): void {
    let from = count
    for (; from > 0; from--) {
      const { start: at, form, target } = this.links[from - 1] as MutableLink
      if (at < start || (form !== 'markdown' && form !== 'reference')) break
      if (target !== '') this.relativeLinks--
    }
    this.links.splice(from, count - from)
  }
}

function keyBefore(text: string, start: number, end: number): string | undefined {
  return end - start > MAX_KEY ? undefined : KEY.exec(text.slice(start, end))?.[1]
}

/** A search for the inline field (`key:: value`, `[key:: value]` or `(key:: value)`) at an offset. Offsets must be ascending. */
class FieldTracker {
  #text = ''
  #at = 0
  #lineStart = 0
  #lineKey: string | undefined
  #bracketKey: string | undefined
  #open = ''
  #depth = 0
  #wholeLines = true

  begin(text: string, start: number, wholeLines: boolean): void {
    this.#text = text
    this.#at = start
    this.#lineStart = start
    this.#lineKey = undefined
    this.#bracketKey = undefined
    this.#wholeLines = wholeLines
  }

  keyAt(offset: number): string | undefined {
    const text = this.#text
    for (; this.#at < offset; this.#at++) {
      const c = text.charCodeAt(this.#at)
      if (c === LF) {
        this.#lineStart = this.#at + 1
        this.#lineKey = undefined
        this.#bracketKey = undefined
      } else if (c === COLON) {
        if (text.charCodeAt(this.#at + 1) === COLON) this.#beginField(this.#at)
      } else if (this.#bracketKey !== undefined) this.#follow(text[this.#at] as string)
    }
    return this.#bracketKey ?? this.#lineKey
  }

  #beginField(at: number): void {
    const text = this.#text
    if (this.#bracketKey !== undefined || !/[\s[!]/.test(text[at + 2] ?? ' ')) return
    const from = Math.max(this.#lineStart, at - MAX_KEY)
    const head = text.slice(from, at)
    const open = Math.max(head.lastIndexOf('['), head.lastIndexOf('('))
    const key = open === -1 ? undefined : keyBefore(text, from + open + 1, at)
    if (key !== undefined) {
      this.#bracketKey = key
      this.#open = head[open] as string
      this.#depth = 1
    } else if (this.#wholeLines) this.#lineKey ??= keyBefore(text, this.#lineStart, at)
  }

  #follow(c: string): void {
    const close = this.#open === '[' ? ']' : ')'
    if (c === this.#open) this.#depth++
    else if (c === close && --this.#depth === 0) this.#bracketKey = undefined
  }
}
