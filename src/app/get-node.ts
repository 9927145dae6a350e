import type { NodeId } from '../core/ids.ts'
import type { Heading } from '../core/note.ts'
import { partialHash } from '../core/partial-reading.ts'
import type { Node, Snapshot } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import { answer, type Call } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { lookUp, unknownIdWarning } from './known-node.ts'
import { contentResponse, excerptResponse, MAX_LINKS, type NodeResponse } from './node-response.ts'
import { noteWarnings } from './note-warnings.ts'
import { type Reading, readNotes, unansweredError } from './texts.ts'
import { CONTENT_LIMITS, type Span, truncateFrom } from './truncate.ts'
import type { VaultLinkResponse } from './vault-links.ts'

export interface GetNodeArguments {
  readonly id: string
  /** 1 also shows the neighbours. */
  readonly depth: number
  /** Headings from the outside in, or one `^block`. */
  readonly section?: readonly string[] | undefined
  /** Characters of the content (or of the section) to skip. */
  readonly offset: number
  readonly maxChars: number
}

/** A node with everything that is known of it. */
export interface NodeDetails extends NodeResponse {
  readonly incomingCount?: number
  readonly outgoingCount?: number
  readonly outgoingNeighbors?: readonly NodeResponse[]
  readonly incomingNeighbors?: readonly NodeResponse[]
  /** SHA-256 of the file, `partial:` in front where `content` is not all of it; attachments are not read. */
  readonly hash?: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly created?: string
  readonly modified?: string
  readonly outline: readonly Heading[]
  /** Links in all, of which `links` shows the first. */
  readonly link_count: number
  /** Links that name a vault; absent where there are none. */
  readonly vault_links?: readonly VaultLinkResponse[]
  /** The `offset` that goes on where `content` was cut. */
  readonly next_offset?: number
}

/** Neighbours shown in each direction. */
const MAX_NEIGHBORS = 20

/**
 * One node, `null` when there is none.
 * @throws RouxError `SECTION_NOT_FOUND` when no heading fits the path or several do.
 */
export function getNode(core: GraphCore, args: GetNodeArguments, call: Call = {}): Promise<Answer<NodeDetails | null>> {
  return answer(core, call, async (snapshot) => {
    const read = await readNode({ core, snapshot, call }, args.id)
    if (read === undefined) return { value: null, warnings: [await unknownIdWarning(snapshot, args.id)] }
    const { node, source } = read
    const { text, next } = await shownContent(core, read, args)
    const value: NodeDetails = {
      ...contentResponse(node, text),
      ...(args.depth > 0 ? await neighborhood(snapshot, node.id) : {}),
      ...(source === undefined ? {} : { hash: hashShown(source, text) }),
      properties: node.properties,
      ...(node.created === undefined ? {} : { created: node.created }),
      ...(node.modified === undefined ? {} : { modified: node.modified }),
      outline: node.headings,
      link_count: node.linkCount,
      ...(await linksToVaults(core, source, call)),
      ...(next === undefined ? {} : { next_offset: next }),
    }
    return { value, warnings: await noteWarnings(snapshot, node.id) }
  })
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
  const { vaultLinks } = await import('./vault-links.ts')
  const links = await vaultLinks(core, source.text, call)
  return links.length === 0 ? {} : { vault_links: links }
}

interface ReadNode {
  readonly node: Node
  /** Absent of attachments. */
  readonly source: NoteText | undefined
}

/** The node and its text; what is only linked to is no node. @throws RouxError `TIMEOUT` */
async function readNode(reading: Reading, argument: string): Promise<ReadNode | undefined> {
  const { core, snapshot } = reading
  const [id] = await lookUp(snapshot, core, [argument])
  if (id === undefined) return undefined
  const { notes, unread } = await readNotes(reading, [id], { links: MAX_LINKS, times: true })
  if (unread.length > 0) throw unansweredError(id)
  const [note] = notes
  if (note !== undefined) return note
  const [node] = await snapshot.nodes([id], { links: MAX_LINKS, times: true })
  return node?.kind === 'attachment' ? { node, source: undefined } : undefined
}

/** What is shown of the text, and where the rest begins, counted from the beginning of what was asked for. */
async function shownContent(
  core: GraphCore,
  { source }: ReadNode,
  args: GetNodeArguments,
): Promise<{ text: string; next?: number }> {
  if (source === undefined) return { text: '' }
  const span = await wantedSpan(core, source, args)
  const cut = truncateFrom(source.text, Math.min(args.maxChars, CONTENT_LIMITS.single), span, args.offset)
  return cut.next === undefined ? cut : { text: cut.text, next: cut.next - span.start }
}

async function wantedSpan(core: GraphCore, source: NoteText, { section }: GetNodeArguments): Promise<Span> {
  if (section === undefined || section.length === 0) return { start: source.bodyStart, end: source.text.length }
  // The parser is loaded when first needed: a server starts without it.
  const { requireSection } = await import('./section.ts')
  return requireSection(source.text, section, core.indexing.status().mode)
}

async function neighborhood(snapshot: Snapshot, id: NodeId) {
  const page = { offset: 0, limit: MAX_NEIGHBORS }
  const [incoming, outgoing] = await Promise.all([
    snapshot.neighbors(id, { direction: 'in' }, page),
    snapshot.neighbors(id, { direction: 'out' }, page),
  ])
  const nodes = await snapshot.nodes([...incoming.items, ...outgoing.items], { links: MAX_LINKS })
  const show = (some: readonly (Node | undefined)[]) =>
    some.filter((node) => node !== undefined).map((node) => excerptResponse(node, CONTENT_LIMITS.neighbor))
  return {
    incomingCount: incoming.total,
    outgoingCount: outgoing.total,
    outgoingNeighbors: show(nodes.slice(incoming.items.length)),
    incomingNeighbors: show(nodes.slice(0, incoming.items.length)),
  }
}
