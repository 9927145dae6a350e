import type { NodeId } from '../../core/ids.ts'
import type { Direction, NeighborOptions, NodeKind, Occurrence } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { answer, type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { type ListedNode, linksShown, listResponses } from '../answer/node-response.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, unreadWarnings } from '../read/texts.ts'
import { readLinkSentences } from './link-sentences.ts'

export interface NeighborsArguments extends PageArguments {
  /** The note as an id, a unique title or a unique alias. */
  readonly id: string
  readonly direction: Direction
  readonly includeContent: boolean
  /** The property that contains the links. */
  readonly type?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
  readonly links?: number | undefined
  readonly evidence: boolean
}

export interface Neighbor extends ListedNode {
  /** The linking lines in text order. They are returned only if `evidence` is true. */
  readonly lines?: readonly LinkLine[]
  readonly more?: number
}

export interface LinkLine {
  /** The 1-based number of the line in the note that contains the link. */
  readonly line: number
  readonly text: string
  readonly direction?: 'in' | 'out'
}

/** Returns neighbors sorted by in-degree, then by id. The node itself may be missing. */
export function getNeighbors(core: GraphCore, args: NeighborsArguments, call: Call = {}): Promise<Answer<readonly Neighbor[]>> {
  return answer(core, call, async (snapshot) => {
    const { ids, warnings } = await findNamed(snapshot, core, [args.id], { withMissing: true })
    const [id] = ids
    if (id === undefined) return { value: [], warnings }
    const page = pageFor(args, call)
    const { items, total } = await snapshot.neighbors(id, optionsOf(args), page)
    const textKind = args.includeContent ? 'excerpt' : 'metadata'
    const [responses, evidence] = await Promise.all([
      listResponses(snapshot, items, { shown: textKind, links: linksShown(args.links, call) }),
      args.evidence ? evidenceOf({ core, snapshot, call }, { id, others: items }, args) : NO_EVIDENCE,
    ])
    const value = responses.map((response) => ({ ...response, ...evidence.lines.get(response.id) }))
    const list = listResult(value, { offset: page.offset, shown: items.length, total })
    const hasMore = args.limit > 1 && value.some(({ more }) => more !== undefined)
    return { ...list, warnings: [...warnings, ...unreadWarnings(evidence.unread), ...(hasMore ? [MORE_SENTENCES] : [])] }
  })
}

function optionsOf({ direction, type, kinds }: NeighborsArguments): NeighborOptions {
  return {
    direction,
    ...(type === undefined ? {} : { type }),
    ...(kinds === undefined || kinds.length === 0 ? {} : { kinds }),
  }
}

interface Evidence {
  readonly lines: ReadonlyMap<NodeId, Pick<Neighbor, 'lines' | 'more'>>
  readonly unread: readonly NodeId[]
}

const NO_EVIDENCE: Evidence = { lines: new Map(), unread: [] }

const SHOWN_LINKS = { listed: 2, single: 20 }

const MORE_SENTENCES: Warning = {
  code: 'NOTICE',
  message: 'more: sentences not shown. limit 1 with the offset of a note shows them.',
}

interface Ends {
  readonly id: NodeId
  readonly others: readonly NodeId[]
}

async function evidenceOf(
  reading: ReadingContext,
  { id, others }: Ends,
  { direction, type, limit }: Pick<NeighborsArguments, 'direction' | 'type' | 'limit'>,
): Promise<Evidence> {
  const shown = limit === 1 ? SHOWN_LINKS.single : SHOWN_LINKS.listed
  const directions = direction === 'both' ? (['in', 'out'] as const) : [direction]
  const pairs = others.flatMap((other) =>
    directions.map((linkDirection) => (linkDirection === 'in' ? ([other, id] as const) : ([id, other] as const))),
  )
  const occurrences = await reading.snapshot.occurrences(pairs)
  const sentences = await readLinkSentences(reading, occurrences.flat())
  const lineOf = (occurrence: Occurrence): PlacedLine => {
    const { text, start } = sentences.around(occurrence)
    const linkDirection = occurrence.from === id ? 'out' : 'in'
    return { start, shown: { line: occurrence.line, text, ...(direction === 'both' ? { direction: linkDirection } : {}) } }
  }
  const evidenceRows = others.map((other, at) => {
    const all = occurrences.slice(at * directions.length, (at + 1) * directions.length).flat()
    const matching = type === undefined ? all : all.filter(({ property }) => isSameName(property, type))
    const visible = matching.filter(({ inComment }) => !inComment)
    const lines = eachOnce((visible.length > 0 ? visible : matching).map(lineOf))
    const more = lines.length - shown
    return [other, { lines: lines.slice(0, shown), ...(more > 0 ? { more } : {}) }] as const
  })
  return { lines: new Map(evidenceRows), unread: sentences.unread }
}

interface PlacedLine {
  readonly shown: LinkLine
  readonly start: number | undefined
}

/** Removes duplicate lines, because a sentence may contain several links. */
function eachOnce(lines: readonly PlacedLine[]): readonly LinkLine[] {
  const lineKeys = new Set<string>()
  const once = lines.filter(({ start, shown: { line, direction } }) => {
    // Equal sentences are distinguished by offset, or else by line.
    const key = `${direction} ${start === undefined ? `line ${line}` : start}`
    return !lineKeys.has(key) && lineKeys.add(key)
  })
  return once.map(({ shown }) => shown)
}

function isSameName(property: string | undefined, type: string): boolean {
  return property !== undefined && foldName(property) === foldName(type)
}
