import type { Link, LinkForm, LinkKind } from '../core/note.ts'
import { decodePercent, type WrittenDestination } from './destinations.ts'
import { FieldTracker } from './fields.ts'
import type { LineIndex } from './line-index.ts'

/** A link while its file is read. */
export type MutableLink = { -readonly [Key in keyof Link]: Link[Key] }

const VAULT_SCHEME = 'obsidian:'

export interface LinkPlace {
  readonly kind: LinkKind
  readonly form: LinkForm
  readonly start: number
  readonly end: number
}

export interface LinkParts {
  readonly target: string
  readonly subpath: string | undefined
  readonly display: string | undefined
}

/** The destinations of Markdown and HTML links as they are written; those of references stand in their definitions. */
export type Destinations = Map<Link, WrittenDestination>

interface LinkDestination {
  /** Decoded but for percent codes. */
  readonly destination: string
  readonly display?: string | undefined
  readonly written: WrittenDestination
}

/** Collects the links of a file: gives them their places in it, and the inline fields in which they stand. */
export class LinkSink {
  readonly links: MutableLink[] = []
  /** Links to notes of any vault, which the application resolves: destinations as written. */
  readonly vaultLinks: { readonly raw: string; readonly line: number }[] = []
  wikilinks = 0
  relativeLinks = 0
  /** Whether a link came after one that begins later. */
  disordered = false
  readonly #lines: LineIndex
  readonly #fields: FieldTracker | undefined
  readonly #destinations: Destinations | undefined
  #base = 0
  #last = -1

  /** @param destinations filled when given: only edits need them */
  constructor(lines: LineIndex, fields: boolean, destinations?: Destinations) {
    this.#lines = lines
    this.#destinations = destinations
    this.#fields = fields ? new FieldTracker() : undefined
  }

  /** Begins a stretch of `src`, whose offsets lack `base` to those of the file. */
  begin(src: string, start: number, { base, wholeLines }: { base: number; wholeLines: boolean }): void {
    this.#base = base
    this.#fields?.begin(src, start, wholeLines)
  }

  addDestination(place: LinkPlace, { destination, display, written }: LinkDestination): void {
    const hash = destination.indexOf('#')
    const target = decodePercent(hash === -1 ? destination : destination.slice(0, hash))
    const subpath = hash === -1 ? undefined : decodePercent(destination.slice(hash + 1))
    const link = this.add(place, { target, subpath, display })
    this.#destinations?.set(link, written)
  }

  /** A destination that leads out of the vault, as written: those of applications that open vaults are kept. */
  addOutside(raw: string, start: number): void {
    if (raw.startsWith(VAULT_SCHEME)) this.vaultLinks.push({ raw, line: this.#lines.lineAt(start + this.#base) })
  }

  add(place: LinkPlace, parts: LinkParts): Link {
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
    if (start < this.#last) this.disordered = true
    this.#last = start
    this.links.push(link)
    return link
  }

  /** Takes back Markdown links from `start` on, among the first `count`: in an image's alternative text they are only text. */
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
