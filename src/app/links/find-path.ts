import type { NodeId } from '../../core/ids.ts'
import type { Occurrence, PathOptions, Snapshot } from '../../core/store.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import type { Fitted } from '../answer/budget.ts'
import { leastBytes } from '../answer/fit-list.ts'
import { fitShares } from '../answer/fit-members.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type Reading, unreadWarnings } from '../read/texts.ts'
import { type LinkSentences, readLinkSentences } from './link-sentences.ts'

export interface FindPathArguments extends PathOptions {
  readonly source: string
  readonly target: string
}

/** One step of a path and the link that makes it. */
export interface Hop {
  readonly from: NodeId
  readonly to: NodeId
  /** `link`, `embed`, or the name of the property that holds the link. */
  readonly type: string
  /** `out` when `from` holds the link, `in` when `to` does. */
  readonly direction: 'out' | 'in'
  /** 1-based, in the file that holds the link. */
  readonly line: number
  /** The sentence that holds the link. */
  readonly text: string
  /** The link names a heading or block that is not there; absent when it is, or none is named. */
  readonly brokenSubpath?: true
}

export interface FoundPath {
  readonly path: readonly NodeId[]
  /** Links on the way. */
  readonly length: number
  readonly hops: readonly Hop[]
}

export interface PathAnswer extends FoundPath {
  /** Other paths, where more than one was asked for. */
  readonly alternatives: readonly FoundPath[]
}

/** The shortest way from one note to another over links, `null` where there is none. */
export function findPath(core: GraphCore, args: FindPathArguments, call: Call = {}): Promise<Answer<PathAnswer | null>> {
  return answer(core, call, async (snapshot) => {
    const { ids, warnings } = await findNamed(snapshot, core, [args.source, args.target])
    const [source, target] = ids
    if (source === undefined || target === undefined) return { value: null, warnings }
    const { direction, count, avoidHubs } = args
    const paths = source === target ? [[source]] : await snapshot.paths(source, target, { direction, count, avoidHubs })
    const described = await describePaths({ core, snapshot, call }, paths)
    const [shortest, ...alternatives] = described.paths
    const value = shortest === undefined ? null : { ...shortest, alternatives }
    const told = value === null ? [noPath(source, target, direction)] : unreadWarnings(described.unread)
    return { value, warnings: told }
  })
}

function noPath(source: NodeId, target: NodeId, direction: PathOptions['direction']): Warning {
  const ends = `No links lead from ${quoted(source)} to ${quoted(target)}`
  const message =
    direction === 'out'
      ? `${ends} in the forward direction, over any number of links. direction any also follows links backwards.`
      : `${ends} in either direction, over any number of links. compare shows what the two notes share, suggest_links with id what one could link to.`
  return { code: 'NOTICE', message }
}

type Pair = readonly [from: NodeId, to: NodeId]

/** A place that makes a hop, and which of its ends holds it. */
interface Chosen {
  readonly pair: Pair
  readonly occurrence: Occurrence
}

interface Described {
  readonly paths: readonly FoundPath[]
  /** Notes whose files did not answer. */
  readonly unread: readonly NodeId[]
}

async function describePaths(reading: Reading, paths: readonly (readonly NodeId[])[]): Promise<Described> {
  const pairs = new Map<string, Pair>()
  for (const pair of paths.flatMap(pairsOf)) pairs.set(keyOf(pair), pair)
  const chosen = await chooseLinks(reading.snapshot, [...pairs.values()])
  const occurrences = chosen.map(({ occurrence }) => occurrence)
  // Both ends, where the link names a part of the other: whether it is there is known as of when that was indexed.
  const named = occurrences.flatMap(({ to, subpath }) => (subpath === undefined ? [] : [to]))
  const sentences = await readLinkSentences(reading, occurrences, named)
  const hops = new Map(chosen.map((choice) => [keyOf(choice.pair), hopOf(choice, sentences)] as const))
  const found = paths.map((path) => ({
    path,
    length: path.length - 1,
    hops: pairsOf(path).flatMap((pair) => hops.get(keyOf(pair)) ?? []),
  }))
  return { paths: found, unread: sentences.unread }
}

async function chooseLinks(snapshot: Snapshot, pairs: readonly Pair[]): Promise<readonly Chosen[]> {
  const both = pairs.flatMap(([from, to]): Pair[] => [
    [from, to],
    [to, from],
  ])
  const found = await snapshot.occurrences(both)
  return pairs.flatMap((pair, index) => {
    // A link forwards tells more of this step than one back; one that readers see more than one in a comment.
    const candidates = [...(found[2 * index] ?? []), ...(found[2 * index + 1] ?? [])]
    const occurrence = candidates.find(({ inComment }) => !inComment) ?? candidates[0]
    return occurrence === undefined ? [] : [{ pair, occurrence }]
  })
}

function hopOf({ pair: [from, to], occurrence }: Chosen, sentences: LinkSentences): Hop {
  return {
    from,
    to,
    type: occurrence.property ?? occurrence.kind,
    direction: occurrence.from === from ? 'out' : 'in',
    line: occurrence.line,
    text: sentences.of(occurrence),
    ...(occurrence.brokenSubpath === true ? { brokenSubpath: true } : {}),
  }
}

function pairsOf(path: readonly NodeId[]): readonly Pair[] {
  return path.slice(1).flatMap((to, index): Pair[] => {
    const from = path[index]
    return from === undefined ? [] : [[from, to]]
  })
}

/** Ids hold no NUL. */
function keyOf([from, to]: Pair): string {
  return `${from}\0${to}`
}

/** A path within a budget: its ids, its links and their sentences, then the alternatives in the same way. */
export function fitPath(answer: PathAnswer, room: number): Fitted<PathAnswer> {
  // That there are others is said before how the first is made.
  const hops = (left: number) => left - Math.min(left / 2, leastBytes(answer.alternatives))
  return fitShares(answer, [{ hops }, { alternatives: 1 }], room)
}
