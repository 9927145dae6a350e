import type { NodeId } from '../../core/ids.ts'
import type { Heading } from '../../core/note.ts'
import type { Node, Snapshot } from '../../core/store.ts'
import { cutData } from '../../core/text/inline-data.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import { indexLines } from '../../markdown/line-index.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import { DEFAULT_TOKENS, type Fitted, jsonBytes, TOKEN_BYTES, tokensFor } from '../answer/budget.ts'
import { compose, leastBytes, MAX_TAGS } from '../answer/fit-list.ts'
import { fitFacts } from '../answer/fit-members.ts'
import {
  contentResponse,
  excerptResponse,
  type ListedNode,
  linksShown,
  MAX_LINKS,
  type NodeResponse,
} from '../answer/node-response.ts'
import { CONTENT_LIMITS, type Cut, quoted, truncateFrom } from '../answer/truncate.ts'
import type { Answer, GraphCore, Omitted, Warning } from '../graph-core.ts'
import { findNamed, lookUpKinds, unknownIdWarning } from '../names/known-node.ts'
import { noteWarnings } from './problems.ts'
import { type NoteWithText, type ReadingContext, readNode } from './texts.ts'
import type { VaultLinkResponse } from './vault-links.ts'

/** The size of `partial:` and `"next_offset":1000000,`. */
const CUT_FACTS = 32

/** A shorter text would be useless. It is shown only if the budget is too small for more. */
const MIN_TEXT_LENGTH = 160

const MIN_CHARACTERS = 20

/** The content's share of the bytes that remain after ids and titles. */
const CONTENT_SHARE = 0.6

const NEIGHBORS_TEXT: ReadonlySet<string> = new Set(['content'])

/** The most important members come first. */
const FACTS = ['properties', 'outline', 'links', 'vault_links'] as const

export interface GetNodeArguments {
  readonly id: string
  readonly depth: number
  /** A path of headings, outermost first, or a single `^block`. */
  readonly section?: readonly string[] | undefined
  /** The offset in the content or section, in characters. */
  readonly offset: number
  readonly maxChars: number
  /** The token limit, which has a default if `depth` is 1. */
  readonly maxTokens?: number | undefined
}

const MAX_SOURCES = 3

const MAX_NEIGHBORS = 20

/** Maximum number of headings, and of tags. */
const MAX_NAMES = 100

/** Maximum number of bytes, if no token limit is given. */
const MAX_PROPERTIES = 40_000

/**
 * Returns `null` if the node does not exist.
 * @throws RouxError `SECTION_NOT_FOUND` if not exactly one heading matches the path
 */
export function getNode(core: GraphCore, args: GetNodeArguments, call: Call = {}): Promise<Answer<NodeDetails | null>> {
  return answer(core, call, async (snapshot) => {
    const named = await findNamed(snapshot, core, [args.id])
    const [id] = named.ids
    if (id === undefined) {
      const missingWarnings = await wantedWarning({ core, snapshot, call }, args.id)
      return { value: null, warnings: [...named.warnings, ...missingWarnings] }
    }
    const read = await readNode({ core, snapshot, call }, id, { links: MAX_LINKS, times: true })
    if (read === undefined) return { value: null, warnings: [await unknownIdWarning(snapshot, args.id)] }
    const { node, source } = read
    const { contentOf, span } = await contentReader(core, read, args)
    const content = contentOf(args.maxChars)
    const { links, outline: headings } = knownOf(read, args, { span, next: content.next, links: linksShown(undefined, call) })
    const outline = call.isUntruncated === true ? headings : highestLevels(headings)
    const capped = cappedOutline(headings.length - outline.length)
    const value: NodeDetails = {
      ...contentResponse(node, content.text),
      links,
      ...(args.depth > 0 ? await neighborhood(snapshot, node.id, linksShown(undefined, call)) : {}),
      ...hashOf(core, source, content.text),
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
    if (maxTokens === undefined)
      return { warnings, ...(call.isUntruncated === true ? { value } : withoutExcess(value, headings.length)) }
    const recut = (chars: number): Recutter => {
      const { text, next } = contentOf(Math.min(chars, args.maxChars))
      return { content: text, ...hashOf(core, source, text), next_offset: next }
    }
    const { value: fitted, omitted: counts } = fitNode(value, maxTokens * TOKEN_BYTES, recut)
    // The cast is necessary, because the budget may remove members that the type requires.
    return {
      value: fitted as NodeDetails,
      warnings,
      ...(Object.keys({ ...counts, ...capped }).length === 0 ? {} : { omitted: { maxTokens, counts, ...capped } }),
    }
  })
}

async function wantedWarning({ core, snapshot }: ReadingContext, name: string): Promise<readonly Warning[]> {
  const [missing] = await lookUpKinds(snapshot, core, [name])
  if (missing?.kind !== 'missing') return []
  const { items, total } = await snapshot.neighbors(missing.id, { direction: 'in' }, { offset: 0, limit: MAX_SOURCES })
  const listed = items.map(quoted).join(', ')
  const links = total === 1 ? `1 note links to it: ${listed}` : `${total} notes link to it, such as ${listed}`
  return [{ code: 'NOTICE', message: `However, ${links}. get_neighbors with evidence: true shows what they say about it.` }]
}

/**
 * Returns the note's hash, marked as partial if the text is incomplete, so a caller cannot overwrite text that it has not seen.
 */
function hashOf({ writing }: GraphCore, source: NoteText | undefined, shownText: string): Pick<NodeDetails, 'hash'> {
  if (writing === undefined || source === undefined) return {}
  const { text, bodyStart, hash } = source
  return { hash: shownText.length === text.length - bodyStart ? hash : partialHash(hash) }
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

interface ContentReader {
  readonly contentOf: (chars: number) => Cut
  readonly span: TextRange
}

async function contentReader(core: GraphCore, { source }: NoteWithText, args: GetNodeArguments): Promise<ContentReader> {
  if (source === undefined) return { contentOf: () => ({ text: '' }), span: { start: 0, end: 0 } }
  const span = await wantedSpan(core, source, args)
  const short = cutData(source.text.slice(span.start, span.end))
  const contentOf = (chars: number): Cut => {
    if (short !== undefined) {
      const { text, next } = truncateFrom(short.text, chars, { start: 0, end: short.text.length }, short.toShort(args.offset))
      return next === undefined ? { text } : { text, next: short.toWhole(next) }
    }
    const part = truncateFrom(source.text, chars, span, args.offset)
    return part.next === undefined ? part : { text: part.text, next: part.next - span.start }
  }
  return { contentOf, span }
}

function knownOf(
  { node, source }: NoteWithText,
  { offset }: GetNodeArguments,
  { span, next, links }: { readonly span: TextRange; readonly next: number | undefined; readonly links: number },
): Pick<NodeDetails, 'links' | 'outline'> {
  if (source === undefined || offset === 0) return { links: node.links, outline: node.headings }
  const { start, end } = span
  const shownSpan = { start: Math.min(start + offset, end), end: next === undefined ? end : start + next }
  return { links: node.links.slice(0, links), outline: headingsIn(node.headings, source.text, shownSpan) }
}

function cappedOutline(count: number): Pick<Omitted, 'capped'> {
  return count === 0 ? {} : { capped: { outline: count } }
}

/** Without a token limit, the size of an answer must not depend on what a note can make arbitrarily long. */
function withoutExcess(node: NodeDetails, headings: number): Pick<Answer<NodeDetails>, 'value' | 'omitted'> {
  const tags = node.tags.slice(0, MAX_NAMES)
  const { value, omitted } = fitFacts({ ...node, tags }, ['properties'], MAX_PROPERTIES)
  const capped = {
    ...omitted,
    ...(tags.length === node.tags.length ? {} : { tags: node.tags.length - tags.length }),
    ...cappedOutline(headings - node.outline.length).capped,
  }
  // The type requires properties, but they are left out if none fits.
  return {
    value: value as NodeDetails,
    ...(Object.keys(capped).length === 0 ? {} : { omitted: { maxTokens: 0, counts: {}, capped } }),
  }
}

function highestLevels(headings: readonly Heading[]): readonly Heading[] {
  const kept = new Set(headings.toSorted((a, b) => a.level - b.level).slice(0, MAX_NAMES))
  return headings.filter((heading) => kept.has(heading))
}

function headingsIn(headings: readonly Heading[], text: string, { start, end }: TextRange): readonly Heading[] {
  const lines = indexLines(text)
  const first = lines.lineAt(start)
  // Trailing white space counts as part of the next section.
  const last = lines.lineAt(start + text.slice(start, end).trimEnd().length)
  return headings.filter(({ line }) => line >= first && line <= last)
}

async function wantedSpan(core: GraphCore, source: NoteText, { section }: GetNodeArguments): Promise<TextRange> {
  if (section === undefined || section.length === 0) return { start: source.bodyStart, end: source.text.length }
  const { outlineOf, requireSection } = await import('../../markdown/outline.ts')
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
  const show = (shownNodes: readonly (Node | undefined)[]) =>
    shownNodes
      .filter((node) => node !== undefined)
      .map((node): ListedNode => ({ ...excerptResponse(node, CONTENT_LIMITS.neighbor), link_count: node.linkCount }))
  return {
    incomingCount: incoming.total,
    outgoingCount: outgoing.total,
    outgoingNeighbors: show(nodes.slice(incoming.items.length)),
    incomingNeighbors: show(nodes.slice(0, incoming.items.length)),
  }
}

export interface NodeDetails extends NodeResponse {
  readonly incomingCount?: number
  readonly outgoingCount?: number
  readonly outgoingNeighbors?: readonly ListedNode[]
  readonly incomingNeighbors?: readonly ListedNode[]
  /** SHA-256, with the prefix `partial:` for incomplete content. The hash is omitted for attachments, and if writing is off. */
  readonly hash?: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly created?: string
  readonly modified?: string
  readonly outline: readonly Heading[]
  /** Number of all links. `links` contains only the first ones. */
  readonly link_count: number
  readonly vault_links?: readonly VaultLinkResponse[]
  /** The offset of the remaining text, if `content` is truncated. */
  readonly next_offset?: number
}

export interface Recutter {
  readonly content: string
  readonly hash?: string
  readonly next_offset: number | undefined
}

function fitNode(node: NodeDetails, room: number, recut: (chars: number) => Recutter): Fitted<Partial<NodeDetails>> {
  if (jsonBytes(node) <= room) return { value: node, omitted: {} }
  const { incomingNeighbors: incoming = [], outgoingNeighbors: outgoing = [] } = node
  const neighbors = alternating(incoming, outgoing)
  const tags = node.tags.slice(0, MAX_TAGS)
  const bare = { ...node, content: '', tags, properties: {}, outline: [], links: [], ...without(node) }
  const remaining = room - jsonBytes(bare) - CUT_FACTS
  const reserved = Math.min(remaining / 2, leastBytes(neighbors))
  const content = fittingContent(node, { fair: (remaining - reserved) * CONTENT_SHARE, most: remaining }, recut)
  const facts = fitFacts({ ...node, tags, ...content }, FACTS, remaining - reserved - jsonBytes(content.content))
  const bytesUsed = jsonBytes({ ...facts.value, ...without(node) }) - jsonBytes(bare)
  const fitted = compose(neighbors, {
    room: remaining - bytesUsed,
    memberName: 'neighbors',
    isFirstSure: false,
    requested: NEIGHBORS_TEXT,
  })
  const of = (members: readonly ListedNode[] | undefined) => {
    const shownRows = fitted.rows.filter((_, at) => members?.includes(neighbors[at] as ListedNode))
    return shownRows.length === 0 && members?.length !== 0 ? undefined : shownRows
  }
  const [outgoingNeighbors, incomingNeighbors] = [of(node.outgoingNeighbors), of(node.incomingNeighbors)]
  const { next_offset, outgoingNeighbors: _, incomingNeighbors: __, ...value } = facts.value
  return {
    value: {
      ...value,
      ...(outgoingNeighbors === undefined ? {} : { outgoingNeighbors }),
      ...(incomingNeighbors === undefined ? {} : { incomingNeighbors }),
      ...(next_offset === undefined ? {} : { next_offset }),
    },
    omitted: {
      ...fitted.omitted,
      ...facts.omitted,
      ...(tags.length === node.tags.length ? {} : { tags: (fitted.omitted.tags ?? 0) + node.tags.length - tags.length }),
      ...(content.content === node.content ? {} : { content: (fitted.omitted.content ?? 0) + 1 }),
    },
  }
}

function without({ outgoingNeighbors, incomingNeighbors, vault_links }: NodeDetails): Partial<NodeDetails> {
  return {
    ...(outgoingNeighbors === undefined ? {} : { outgoingNeighbors: [] }),
    ...(incomingNeighbors === undefined ? {} : { incomingNeighbors: [] }),
    ...(vault_links === undefined ? {} : { vault_links: [] }),
  }
}

/** Truncates the text to its share of the bytes, but not below the minimum useful length. */
function fittingContent(
  node: NodeDetails,
  { fair, most }: { readonly fair: number; readonly most: number },
  recut: (chars: number) => Recutter,
): Recutter {
  const { content = '' } = node
  const bytes = jsonBytes(content)
  if (bytes <= fair) return recut(content.length)
  for (let chars = Math.floor((content.length * fair) / bytes); chars > MIN_TEXT_LENGTH; chars = Math.floor(chars * 0.9)) {
    const cut = recut(chars)
    if (jsonBytes(cut.content) <= fair) return cut
  }
  for (let chars = MIN_TEXT_LENGTH; chars > MIN_CHARACTERS; chars = Math.floor(chars * 0.8)) {
    const cut = recut(chars)
    if (jsonBytes(cut.content) <= most) return cut
  }
  return recut(MIN_CHARACTERS)
}

/** Takes items from both lists in turn, so neither list uses up the budget alone. */
function alternating<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [...a.slice(at, at + 1), ...b.slice(at, at + 1)]).flat()
}
