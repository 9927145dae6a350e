import type { NodeId } from '../../core/ids.ts'
import type { Heading } from '../../core/note.ts'
import type { Node, Snapshot } from '../../core/store.ts'
import { cutData } from '../../core/text/inline-data.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import { indexLines } from '../../markdown/line-index.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import { DEFAULT_TOKENS, TOKEN_BYTES, tokensFor } from '../answer/budget.ts'
import { fitNode, type Recut } from '../answer/fit-node.ts'
import type { NodeDetails } from '../answer/node-details.ts'
import { contentResponse, excerptResponse, type ListedNode, linksShown, MAX_LINKS } from '../answer/node-response.ts'
import { noteWarnings } from '../answer/note-warnings.ts'
import { CONTENT_LIMITS, type Cut, quoted, type Span, truncateFrom } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed, lookUpKinds, unknownIdWarning } from '../names/known-node.ts'
import { type Reading, readNotes, unansweredError } from './texts.ts'

export interface GetNodeArguments {
  /** An id, or the title or alias of one note. */
  readonly id: string
  /** 1 also shows the neighbours. */
  readonly depth: number
  /** Headings from the outside in, or one `^block`. */
  readonly section?: readonly string[] | undefined
  /** Characters of the content (or of the section) to skip. */
  readonly offset: number
  readonly maxChars: number
  /** What the whole answer keeps within; with `depth` 1 it has a budget unless it is told one. */
  readonly maxTokens?: number | undefined
}

/** Notes that are named where what they link to does not exist. */
const WANTED_BY = 3
/** Neighbours shown in each direction. */
const MAX_NEIGHBORS = 20

/**
 * One node, `null` when there is none.
 * @throws RouxError `SECTION_NOT_FOUND` when no heading fits the path or several do.
 */
export function getNode(core: GraphCore, args: GetNodeArguments, call: Call = {}): Promise<Answer<NodeDetails | null>> {
  return answer(core, call, async (snapshot) => {
    const meant = await findNamed(snapshot, core, [args.id])
    const [id] = meant.ids
    if (id === undefined) {
      const wanted = await wantedWarning({ core, snapshot, call }, args.id)
      return { value: null, warnings: [...meant.warnings, ...wanted] }
    }
    const read = await readNode({ core, snapshot, call }, id)
    if (read === undefined) return { value: null, warnings: [await unknownIdWarning(snapshot, args.id)] }
    const { node, source } = read
    const { contentOf, span } = await contentReader(core, read, args)
    const content = contentOf(Math.min(args.maxChars, CONTENT_LIMITS.single))
    const { links, outline } = knownOf(read, args, { span, next: content.next, links: linksShown(undefined, call) })
    const value: NodeDetails = {
      ...contentResponse(node, content.text),
      links,
      ...(args.depth > 0 ? await neighborhood(snapshot, node.id, linksShown(undefined, call)) : {}),
      ...(source === undefined ? {} : { hash: hashShown(source, content.text) }),
      properties: node.properties,
      ...(node.created === undefined ? {} : { created: node.created }),
      ...(node.modified === undefined ? {} : { modified: node.modified }),
      outline,
      link_count: node.linkCount,
      ...(await linksToVaults(core, source, call)),
      ...(content.next === undefined ? {} : { next_offset: content.next }),
    }
    const warnings = await noteWarnings(snapshot, node.id)
    const maxTokens = args.depth > 0 ? tokensFor(args.maxTokens, DEFAULT_TOKENS.node, call) : args.maxTokens
    if (maxTokens === undefined) return { value, warnings }
    const recut = (chars: number): Recut => {
      const { text, next } = contentOf(Math.min(chars, args.maxChars))
      return { content: text, ...(source === undefined ? {} : { hash: hashShown(source, text) }), next_offset: next }
    }
    const { value: fitted, omitted: counts } = fitNode(value, maxTokens * TOKEN_BYTES, recut)
    return { value: fitted, warnings, ...(Object.keys(counts).length === 0 ? {} : { omitted: { maxTokens, counts } }) }
  })
}

/** Says who links to what does not exist; nothing where no note does. */
async function wantedWarning({ core, snapshot }: Reading, name: string): Promise<readonly Warning[]> {
  const [missing] = await lookUpKinds(snapshot, core, [name])
  if (missing?.kind !== 'missing') return []
  const { items, total } = await snapshot.neighbors(missing.id, { direction: 'in' }, { offset: 0, limit: WANTED_BY })
  const some = items.map(quoted).join(', ')
  const links = total === 1 ? `1 note links to it: ${some}` : `${total} notes link to it, such as ${some}`
  return [{ code: 'NOTICE', message: `Still, ${links}. get_neighbors with evidence: true shows what they say of it.` }]
}

/** Who reads a part must not replace the whole: the hash says what was shown. */
function hashShown({ text, bodyStart, hash }: NoteText, shown: string): string {
  return shown.length === text.length - bodyStart ? hash : partialHash(hash)
}

async function linksToVaults(
  core: GraphCore,
  source: NoteText | undefined,
  call: Call,
): Promise<Pick<NodeDetails, 'vault_links'>> {
  if (source === undefined || !source.text.includes('obsidian:')) return {}
  const { vaultLinks } = await import('../links/vault-links.ts')
  const links = await vaultLinks(core, source.text, call)
  return links.length === 0 ? {} : { vault_links: links }
}

interface ReadNode {
  readonly node: Node
  /** Absent of attachments. */
  readonly source: NoteText | undefined
}

/** The node and its text; what is only linked to is no node. @throws RouxError `TIMEOUT` */
async function readNode(reading: Reading, id: NodeId): Promise<ReadNode | undefined> {
  const { snapshot } = reading
  const { notes, unread } = await readNotes(reading, [id], { links: MAX_LINKS, times: true })
  if (unread.length > 0) throw unansweredError(id)
  const [note] = notes
  if (note !== undefined) return note
  const [node] = await snapshot.nodes([id], { links: MAX_LINKS, times: true })
  return node?.kind === 'attachment' ? { node, source: undefined } : undefined
}

interface ContentReader {
  /** So many characters of what is asked for of the text, and where the rest begins, counted from its beginning. */
  readonly contentOf: (chars: number) => Cut
  /** Where what is asked for stands in the text. */
  readonly span: Span
}

async function contentReader(core: GraphCore, { source }: ReadNode, args: GetNodeArguments): Promise<ContentReader> {
  if (source === undefined) return { contentOf: () => ({ text: '' }), span: { start: 0, end: 0 } }
  const span = await wantedSpan(core, source, args)
  const short = cutData(source.text.slice(span.start, span.end))
  const contentOf = (chars: number): Cut => {
    if (short !== undefined) {
      const { text, next } = truncateFrom(short.text, chars, { start: 0, end: short.text.length }, short.toShort(args.offset))
      return next === undefined ? { text } : { text, next: short.toWhole(next) }
    }
    const cut = truncateFrom(source.text, chars, span, args.offset)
    return cut.next === undefined ? cut : { text: cut.text, next: cut.next - span.start }
  }
  return { contentOf, span }
}

/** What is known of what is shown: where a text is read on, of that part its own headings, and as many links as lists show. */
function knownOf(
  { node, source }: ReadNode,
  { offset }: GetNodeArguments,
  { span, next, links }: { readonly span: Span; readonly next: number | undefined; readonly links: number },
): Pick<NodeDetails, 'links' | 'outline'> {
  if (source === undefined || offset === 0) return { links: node.links, outline: node.headings }
  const { start, end } = span
  const shown = { start: Math.min(start + offset, end), end: next === undefined ? end : start + next }
  return { links: node.links.slice(0, links), outline: headingsIn(node.headings, source.text, shown) }
}

/** The headings of the lines of a part. */
function headingsIn(headings: readonly Heading[], text: string, { start, end }: Span): readonly Heading[] {
  const lines = indexLines(text)
  const first = lines.lineAt(start)
  // What is below the last line break is the next section's.
  const last = lines.lineAt(start + text.slice(start, end).trimEnd().length)
  return headings.filter(({ line }) => line >= first && line <= last)
}

async function wantedSpan(core: GraphCore, source: NoteText, { section }: GetNodeArguments): Promise<Span> {
  if (section === undefined || section.length === 0) return { start: source.bodyStart, end: source.text.length }
  // The parser is loaded when first needed: a server starts without it.
  const [{ outlineOf }, { requireSection }] = await Promise.all([
    import('../../markdown/outline.ts'),
    import('../../markdown/outline.ts'),
  ])
  const mode = core.indexing.status().mode ?? 'obsidian'
  return requireSection(source.text, outlineOf(source.text, { mode }), section)
}

async function neighborhood(snapshot: Snapshot, id: NodeId, links: number) {
  const page = { offset: 0, limit: MAX_NEIGHBORS }
  const [incoming, outgoing] = await Promise.all([
    snapshot.neighbors(id, { direction: 'in' }, page),
    snapshot.neighbors(id, { direction: 'out' }, page),
  ])
  const nodes = await snapshot.nodes([...incoming.items, ...outgoing.items], { links })
  const show = (some: readonly (Node | undefined)[]) =>
    some
      .filter((node) => node !== undefined)
      .map((node): ListedNode => ({ ...excerptResponse(node, CONTENT_LIMITS.neighbor), link_count: node.linkCount }))
  return {
    incomingCount: incoming.total,
    outgoingCount: outgoing.total,
    outgoingNeighbors: show(nodes.slice(incoming.items.length)),
    incomingNeighbors: show(nodes.slice(0, incoming.items.length)),
  }
}
