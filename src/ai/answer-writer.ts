import type { Code, PhrasingContent, Root, RootContent } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { defaultHandlers, type Options, toMarkdown } from 'mdast-util-to-markdown'
import { linesTrimmed, type Piece, type Wrap } from './pieces.ts'

export type Block =
  | {
      readonly kind: 'text'
      pieces: readonly Piece[]
      readonly isQuoted: boolean
    }
  | {
      readonly kind: 'code'
      readonly node: Code
      markers: readonly number[]
      citations: readonly number[]
    }

/** Returns `undefined` to omit the citation. */
export type WriteCitation = (n: number) => string | undefined

interface Writing {
  readonly shown: ReadonlyMap<object, Block>
  readonly link: WriteCitation
  /** True if the text contains a `$` that is not escaped. */
  readonly mayHoldFormulas: boolean
}

export function writeTree(tree: Root, { shown, link, mayHoldFormulas }: Writing): string {
  const cited = (numbers: readonly number[]): readonly Piece[] =>
    numbers.map((n) => ({ kind: 'citation', text: '', n, wraps: [] }))
  const filled = (node: RootContent): RootContent[] => {
    const block = shown.get(node)
    if (block?.kind === 'text') return [{ ...node, children: nested(block.pieces, 0, link) } as RootContent]
    if (block?.kind === 'code') {
      const children = nested(cited(block.citations), 0, link)
      return children.length === 0 ? [block.node] : [block.node, { type: 'paragraph', children }]
    }
    return 'children' in node ? [{ ...node, children: (node.children as RootContent[]).flatMap(filled) } as RootContent] : [node]
  }
  return toMarkdown(
    { type: 'root', children: tree.children.flatMap(filled) },
    mayHoldFormulas ? WRITING : WITHOUT_FORMULAS,
  ).trim()
}

export function writePieces(pieces: readonly Piece[]): string {
  const children = nested(linesTrimmed(pieces), 0, () => undefined)
  return toMarkdown({ type: 'paragraph', children }, WRITING).trim()
}

export function writeCode(node: Code): string {
  return toMarkdown(node, WRITING).trim()
}

interface CitationNode {
  readonly type: 'citation'
  readonly value: string
}

const WRITING: Options = {
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  bullet: '-',
  bulletOther: '*',
  rule: '-',
  emphasis: '*',
  listItemIndent: 'one',
  fences: true,
  handlers: {
    text: (node, parent, state, info) => withoutNeedlessEscapes(defaultHandlers.text(node, parent, state, info)),
    // Roux generates citations, so they need no escaping.
    citation: ({ value }: CitationNode) => value,
  } as Options['handlers'] & object,
}

const WITHOUT_FORMULAS: Options = { ...WRITING, unsafe: [{ character: '$', inConstruct: 'phrasing' }] }

/** Removes needless backslashes before brackets and asterisks. */
function withoutNeedlessEscapes(text: string): string {
  return text.replace(/(?<![\\![\]])\\\[(?=[\p{L}\p{N} .,'-]{1,40}\](?![([:\]]))/gu, '[').replace(/(?<=[^\s\\] )\\\*(?= )/g, '*')
}

/** Converts pieces to nodes. Adjacent pieces with the same emphasis share a node. */
function nested(pieces: readonly Piece[], depth: number, link: WriteCitation): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  for (let at = 0; at < pieces.length; ) {
    const piece = pieces[at]
    if (piece === undefined || piece.kind === 'marker') {
      at++
      continue
    }
    const wrap = piece.wraps[depth]
    if (wrap === undefined) {
      append(nodes, piece, link)
      at++
      continue
    }
    let end = at
    while (end < pieces.length && isWithin(pieces[end], wrap, depth)) end++
    const children = nested(pieces.slice(at, end), depth + 1, link)
    at = end
    const { lead, inner, trail } = trimmed(children)
    if (lead !== '') append(nodes, { kind: 'text', text: lead, wraps: [] }, link)
    if (inner.length > 0) nodes.push({ type: wrap.type, children: inner })
    if (trail !== '') append(nodes, { kind: 'text', text: trail, wraps: [] }, link)
  }
  return nodes
}

function isWithin(piece: Piece | undefined, wrap: Wrap, depth: number): boolean {
  return piece !== undefined && (piece.kind === 'marker' || piece.wraps[depth] === wrap)
}

function append(nodes: PhrasingContent[], piece: Exclude<Piece, { readonly kind: 'marker' }>, link: WriteCitation): void {
  const last = nodes.at(-1)
  if (piece.kind === 'citation') {
    const value = link(piece.n)
    const node: CitationNode | undefined =
      value === undefined ? undefined : { type: 'citation', value: nodes.length === 0 ? value : ` ${value}` }
    if (node !== undefined) nodes.push(node as unknown as PhrasingContent)
  } else if (piece.kind === 'break') nodes.push({ type: 'break' })
  else if (piece.kind === 'code') nodes.push({ type: 'inlineCode', value: piece.text })
  else if (last?.type === 'text') last.value += piece.text
  else if (piece.text !== '') nodes.push({ type: 'text', value: piece.text })
}

function trimmed(nodes: readonly PhrasingContent[]): {
  readonly lead: string
  readonly inner: PhrasingContent[]
  readonly trail: string
} {
  const inner = nodes.map((node) => ({ ...node }))
  let leadingSpace = ''
  let trail = ''
  const first = inner[0]
  if (first?.type === 'text') {
    leadingSpace = first.value.slice(0, first.value.length - first.value.trimStart().length)
    first.value = first.value.trimStart()
  }
  const last = inner.at(-1)
  if (last?.type === 'text') {
    trail = last.value.slice(last.value.trimEnd().length)
    last.value = last.value.trimEnd()
  }
  return { lead: leadingSpace, inner: inner.filter((node) => node.type !== 'text' || node.value !== ''), trail }
}
