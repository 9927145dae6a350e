import { decodeNamedCharacterReference } from 'decode-named-character-reference'
import type { Code, Nodes, PhrasingContent, Root, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { TextRange } from '../core/text/link-slots.ts'
import { findAddresses } from './addresses.ts'
import { type Block, type WriteCitation, writeTree } from './answer-writer.ts'
import { markerIn, takeMarkers } from './markers.ts'
import { visible } from './neutralize.ts'
import { applyEdits, codeLookup, type Edit, linesTrimmed, type Piece, removal, textOf, type Wrap } from './pieces.ts'

export interface AnswerTree {
  readonly blocks: readonly Block[]
  readonly removed: number
  readonly forged: number
  readonly isCut: boolean
  write(link: WriteCitation): string
}

const PARSING = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

const MAX_CHARACTERS = 60_000
/** Maximum number of syntax characters. Longer answers are treated as plain text, because parsing can take quadratic time. */
const MAX_MARKS = 2_000
const MARKS: ReadonlySet<string> = new Set('!#$&*+<=>@[\\]^_`{|}~\n')
const ITEM_COST = 3
const MAX_DEPTH = 30
const MAX_INDENTATION = 200
/** Removing text can form a new address, so cleaning is repeated. */
const MAX_ROUNDS = 10

export function parseAnswer(answer: string): AnswerTree {
  const text = visible(answer.slice(0, MAX_CHARACTERS))
  const tree = isPlain(text) ? plainTree(text) : fromMarkdown(text, PARSING)
  return { ...new Reader().read(tree), isCut: answer.length > MAX_CHARACTERS }
}

/** Checks whether parsing the text as Markdown could take too long. */
function isPlain(text: string): boolean {
  let cost = 0
  for (const character of text) if (MARKS.has(character)) cost++
  for (const line of text.split('\n')) {
    const { depth, indentation } = startOf(line)
    if (depth > MAX_DEPTH || indentation > MAX_INDENTATION) return true
    cost += ITEM_COST * depth
  }
  return cost > MAX_MARKS
}

function startOf(line: string): { readonly depth: number; readonly indentation: number } {
  let depth = 0
  let at = 0
  START.lastIndex = 0
  for (let match = START.exec(line); match !== null && depth <= MAX_DEPTH; match = START.exec(line)) {
    depth++
    at = START.lastIndex
  }
  return { depth, indentation: line.slice(at).length - line.slice(at).trimStart().length }
}

const START = /[ \t]{0,20}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y

function plainTree(text: string): Root {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return { type: 'root', children: lines.map((value) => ({ type: 'paragraph', children: [{ type: 'text', value }] })) }
}

const WORD = /[\p{L}\p{N}]/u
/** This character marks a removed node until the surrounding spaces are removed, too. */
const PLACEHOLDER = '\ue000'
const PLACEHOLDERS = /\ue000/g

class Reader {
  readonly #blocks: Block[] = []
  readonly #blockOf = new Map<object, Block>()
  /** Records where `$` occurs. If both code and text contain one, some renderers start a formula in text and end it in code. */
  readonly #dollars = { code: false, text: false }
  #removedCount = 0
  #forged = 0

  read(root: Root): Omit<AnswerTree, 'isCut'> {
    const children = this.#blocksOf(root.children, false)
    const tree: Root = { type: 'root', children }
    return {
      blocks: this.#blocks,
      removed: this.#removedCount,
      forged: this.#forged,
      write: (link) =>
        writeTree(tree, { shown: this.#blockOf, link, mayHoldFormulas: !(this.#dollars.code && this.#dollars.text) }),
    }
  }

  #blocksOf(nodes: readonly RootContent[], isQuoted: boolean): RootContent[] {
    return nodes.flatMap((node): RootContent[] => {
      switch (node.type) {
        case 'paragraph':
        case 'heading':
          return this.#inlineOf(node, node.children, isQuoted)
        case 'code':
          return this.#codeOf(node)
        case 'html':
          this.#removedCount++
          return this.#inlineOf({ type: 'paragraph', children: [] }, [{ type: 'text', value: textOfHtml(node.value) }], isQuoted)
        case 'blockquote': {
          const children = this.#blocksOf(node.children, true)
          return children.length === 0 ? [] : [{ type: 'blockquote', children: children as typeof node.children }]
        }
        case 'list': {
          const children = node.children.flatMap((item) => {
            const within = this.#blocksOf(item.children, isQuoted)
            return within.length === 0 ? [] : [{ ...bare(item), children: within as typeof item.children }]
          })
          return children.length === 0 ? [] : [{ ...bare(node), children }]
        }
        case 'table': {
          const children = node.children.map((row) => ({
            type: row.type,
            children: row.children.map((cell) => {
              const [content] = this.#inlineOf({ type: 'tableCell', children: [] }, cell.children, isQuoted)
              return content ?? ({ type: 'tableCell', children: [] } as const)
            }) as typeof row.children,
          }))
          return [{ type: 'table', align: node.align ?? null, children }]
        }
        case 'thematicBreak':
          return [{ type: 'thematicBreak' }]
        default:
          this.#removedCount++
          return []
      }
    })
  }

  #codeOf({ lang, value }: Code): RootContent[] {
    const isShown = LANGUAGES.has((lang ?? '').toLowerCase())
    if (!isShown && (lang ?? '') !== '') this.#removedCount++
    const node: Code = { type: 'code', ...(isShown ? { lang: lang ?? null } : {}), value: this.#cleanCode(value) }
    this.#dollars.code ||= node.value.includes('$')
    const block: Block = { kind: 'code', node, markers: [], citations: [] }
    this.#blocks.push(block)
    this.#blockOf.set(node, block)
    return [node]
  }

  /** Removes addresses from code, including those obscured by backslashes or character references. */
  #cleanCode(value: string): string {
    const visible = asDisplayed(value)
    const decoded = asDisplayed(decodeReferences(visible.replace(/\\(?=[.:/@])/g, '')))
    let text = findAddresses(decoded, { inCode: true }).length > 0 ? decoded : visible
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const spans = [...findAddresses(text, { inCode: true }), ...templatesIn(text)].sort(byStart)
      if (spans.length === 0) return text
      this.#removedCount += spans.length
      text = textOf(applyEdits([{ kind: 'text', text, wraps: [] }], disjoint(spans)))
    }
    return ''
  }

  /** Returns an empty array if no text is left. The children are generated later. */
  #inlineOf(node: RootContent, children: readonly PhrasingContent[], isQuoted: boolean): RootContent[] {
    const cleaned = this.#clean(this.#piecesOf(children, []))
    const first = cleaned.findIndex((piece) => piece.kind !== 'marker' || piece.place !== 'alone')
    // A marker on a line of its own cites the preceding block.
    const isBelow = first > 0 && this.#blocks.length > 0
    if (isBelow) this.#citePreceding(cleaned.slice(0, first))
    const pieces = isBelow ? cleaned.slice(first) : cleaned
    const text = textOf(pieces)
    if (text.trim() === '' || (!WORD.test(text) && (isBelow || pieces.some(({ kind }) => kind === 'marker')))) {
      this.#citePreceding(pieces)
      return []
    }
    const copy = { ...bare(node), children: [] } as RootContent
    const block: Block = { kind: 'text', pieces, isQuoted }
    for (const { kind, text } of pieces)
      if (kind !== 'marker' && text.includes('$')) this.#dollars[kind === 'code' ? 'code' : 'text'] = true
    this.#blocks.push(block)
    this.#blockOf.set(copy, block)
    return [copy]
  }

  #citePreceding(pieces: readonly Piece[]): void {
    const markers = pieces.filter((piece) => piece.kind === 'marker')
    const last = this.#blocks.at(-1)
    if (last?.kind === 'text')
      last.pieces = [...last.pieces, ...markers.map((marker) => ({ ...marker, place: 'alone' as const }))]
    else if (last !== undefined) last.markers = [...last.markers, ...markers.flatMap(({ numbers }) => numbers)]
    else this.#forged += markers.length
  }

  #piecesOf(nodes: readonly PhrasingContent[], wraps: readonly Wrap[]): readonly Piece[] {
    const hole: Piece = { kind: 'text', text: PLACEHOLDER, wraps }
    let hiddenUntil: string | undefined
    return nodes.flatMap((node): readonly Piece[] => {
      if (hiddenUntil !== undefined && !(node.type === 'html' && node.value.toLowerCase().startsWith(hiddenUntil))) return []
      hiddenUntil = undefined
      switch (node.type) {
        case 'text':
          return [{ kind: 'text', text: asDisplayed(node.value), wraps }]
        case 'inlineCode':
          return this.#inlineCodeOf(node.value, wraps)
        case 'break':
          return [{ kind: 'break', text: '\n', wraps }]
        case 'strong':
        case 'emphasis':
        case 'delete':
          return this.#piecesOf(node.children, [...wraps, { type: node.type }])
        case 'link':
        case 'linkReference': {
          this.#removedCount++
          const within = this.#piecesOf(node.children, wraps)
          const label = textOf(within)
          if (markerIn(`[${label}]`) !== undefined) return [{ kind: 'text', text: `[${label}]`, wraps }]
          const isBare =
            node.type === 'link' && (node.url === label || node.url.endsWith(`:${label}`) || node.url.endsWith(`//${label}`))
          return isBare || /^[\s\d,;^*_]*$/.test(label) ? [hole] : within
        }
        case 'footnoteReference':
          this.#forged++
          return [hole]
        case 'html': {
          this.#removedCount++
          const [, hiding] = /^<(script|style|iframe|object|svg|template|noscript)\b/i.exec(node.value) ?? []
          hiddenUntil = hiding === undefined ? undefined : `</${hiding.toLowerCase()}`
          return /^<br\b/i.test(node.value) ? [{ kind: 'text', text: ' ', wraps }] : []
        }
        default:
          this.#removedCount++
          return [hole]
      }
    })
  }

  #inlineCodeOf(value: string, wraps: readonly Wrap[]): readonly Piece[] {
    if (markerIn(value) !== undefined) return [{ kind: 'text', text: value, wraps }]
    const code = this.#cleanCode(value)
    const piece: Piece = { kind: 'code', text: code, wraps }
    if (isBlankCode(piece)) return []
    // Dataview and Meta Bind execute inline code of this form.
    if (/^\s*(?:\$?=|[A-Z]{4,}\[)/.test(code)) {
      this.#removedCount++
      return [{ kind: 'text', text: code, wraps }]
    }
    return [piece]
  }

  #clean(pieces: readonly Piece[]): readonly Piece[] {
    let rest = pieces
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { pieces: unmarked, forged } = takeMarkers(rest)
      this.#forged += forged
      const decoded = unmarked.map((piece) => (piece.kind === 'text' ? { ...piece, text: decodeReferences(piece.text) } : piece))
      const edits = unsafeParts(decoded)
      const hasChanged = unmarked !== rest || decoded.some(({ text }, at) => text !== unmarked[at]?.text)
      this.#removedCount += edits.filter(({ isCounted }) => isCounted !== false).length
      rest = edits.length === 0 ? decoded : applyEdits(decoded, edits).filter((piece) => !isBlankCode(piece))
      if (edits.length === 0 && !hasChanged) return linesTrimmed(rest)
    }
    // Text that is still unsafe after `MAX_ROUNDS` is probably an attack.
    return []
  }
}

function unsafeParts(pieces: readonly Piece[]): readonly (Edit & { readonly isCounted?: boolean })[] {
  const text = textOf(pieces)
  const isCode = codeLookup(pieces)
  // Code is skipped, because its addresses have already been removed.
  const addresses = [...findAddresses(text), ...addressesInPieces(pieces)].filter(({ start, end }) => !isCode(start, end))
  const holes = [...text.matchAll(PLACEHOLDERS)].map(({ index }) => ({
    ...removal(text, { start: index, end: index + 1 }),
    isCounted: false,
  }))
  // A `%%` in the text would start a hidden comment.
  const comments = [...text.matchAll(/%%+/g)].flatMap(({ 0: { length }, index }) =>
    isCode(index, index + length) ? [] : [{ start: index + 1, end: index + length }],
  )
  const spans = [
    ...addresses.map((span) => removal(text, span)),
    ...holes,
    ...comments,
    ...wikilinksIn(text, isCode),
    ...templatesIn(text),
  ]
  return disjoint(spans.sort(byStart))
}

/** Finds addresses that some programs recognize within a piece, such as `data:x` in `meta**data:x**`. */
function addressesInPieces(pieces: readonly Piece[]): readonly TextRange[] {
  let at = 0
  return pieces.flatMap(({ text }) => {
    const from = at
    at += text.length
    return findAddresses(text).map(({ start, end }) => ({ start: from + start, end: from + end }))
  })
}

function isBlankCode({ kind, text }: Piece): boolean {
  return kind === 'code' && text.trim() === ''
}

function byStart(a: TextRange, b: TextRange): number {
  return a.start - b.start || b.end - a.end
}

function disjoint<T extends TextRange>(spans: readonly T[]): readonly T[] {
  let end = 0
  return spans.filter((span) => {
    const isFree = span.start >= end
    if (isFree) end = span.end
    return isFree
  })
}

/** Replaces `[[note|label]]` with its label, and removes `![[note]]`. */
function wikilinksIn(text: string, isCode: (start: number, end: number) => boolean): readonly Edit[] {
  const edits: Edit[] = []
  for (let at = text.indexOf('[['); at >= 0; at = text.indexOf('[[', at + 1)) {
    if (isCode(at, at + 1) || text.charAt(at + 2) === '[') continue
    const end = text.indexOf(']]', at)
    if (end < 0) break
    const inner = text.slice(at + 2, end)
    if (inner.length > 999 || inner.includes('\n') || inner.includes('[[')) continue
    if (text.charAt(at - 1) === '!') edits.push(removal(text, { start: at - 1, end: end + 2 }))
    else edits.push({ start: at, end: at + 2 + inner.lastIndexOf('|') + 1 }, { start: end, end: end + 2 })
    at = end
  }
  return edits
}

/** Finds the `%` of each `<%`, because Templater executes `<% … %>` anywhere in a note, even in code. */
function templatesIn(text: string): readonly TextRange[] {
  return [...text.matchAll(/<%/g)].map(({ index }) => ({ start: index + 1, end: index + 2 }))
}

function textOfHtml(html: string): string {
  const lower = html.toLowerCase()
  let text = ''
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open < 0) return text + html.slice(at)
    text += html.slice(at, open)
    const [, hiding] = /^<(script|style|iframe|object|svg|template|noscript)\b/i.exec(html.slice(open, open + 12)) ?? []
    const close = html.startsWith('<!--', open) ? '-->' : hiding === undefined ? '>' : `</${hiding.toLowerCase()}`
    const end = lower.indexOf(close, open + 1)
    if (end < 0) return text
    at = hiding === undefined ? end + close.length : Math.max(html.indexOf('>', end) + 1, end + close.length)
  }
  return text
}

/** Decodes character references twice, as some programs do. */
function decodeReferences(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,8}));?/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return characterNamed(name) ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : whole
    },
  )
}

function characterNamed(name: string): string | undefined {
  const character = decodeNamedCharacterReference(name)
  if (character === '\u00a0') return ' '
  return character !== false && /^[!-~]$/.test(character) ? character : undefined
}

function asDisplayed(text: string): string {
  return visible(text).replace(PLACEHOLDERS, '')
}

function bare<T extends Nodes>({ position: _, ...node }: T): T {
  return node as T
}

/** These languages only affect highlighting. Obsidian plugins may execute others, such as `dataviewjs`. */
const LANGUAGES: ReadonlySet<string> = new Set(
  `ada asm awk bash basic bat batch bibtex c c++ cc clj clojure cmake cobol coffeescript conf console cpp cs csharp css csv dart diff dockerfile elixir elm
  erlang f# fish fortran fsharp gdscript git gitignore glsl go golang graphql groovy haskell hcl hs html http ini java javascript jinja js json json5 jsonc
  julia kotlin kt latex less lisp log lua make makefile markdown matlab md mjs nim nix objc objective-c ocaml octave pascal perl php plain plaintext
  postgres powershell prolog properties proto protobuf ps1 py python r racket rb rs ruby rust sass scala scheme scss sh shell sol solidity sql swift tcl
  terraform tex text toml ts tsx txt typescript vb verilog vhdl vim vue wasm xml yaml yml zig zsh`.split(/\s+/),
)
