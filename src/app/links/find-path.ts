import type { NodeId } from '../../core/ids.ts'
import type { Occurrence, PathOptions, Snapshot } from '../../core/store.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import type { Fitted } from '../answer/budget.ts'
import { leastBytes } from '../answer/fit-list.ts'
import { fitShares } from '../answer/fit-members.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, unreadWarnings } from '../read/texts.ts'
import { type LinkSentences, readLinkSentences } from './link-sentences.ts'

export interface FindPathArguments extends PathOptions {
  readonly source: string
  readonly target: string
}

export interface Hop extends Pick<Occurrence, 'from' | 'to' | 'line' | 'brokenSubpath'> {
  /** The kind of the link: `link`, `embed`, or the name of a property. */
  readonly type: string
  /** `out` means that `from` contains the link, `in` that `to` does. */
  readonly direction: 'out' | 'in'
  readonly text: string
}

export interface FoundPath {
  readonly path: readonly NodeId[]
  readonly length: number
  readonly hops: readonly Hop[]
}

export interface PathAnswer extends FoundPath {
  readonly alternatives: readonly FoundPath[]
}

export function findPath(core: GraphCore, args: FindPathArguments, call: Call = {}): Promise<Answer<PathAnswer | null>> {
  return answer(core, call, async (snapshot) => {
    const { ids, warnings } = await findNamed(snapshot, core, [args.source, args.target])
    const [source, target] = ids
    if (source === undefined || target === undefined) return { value: null, warnings }
    const { direction, count, avoidHubs } = args
    const paths = source === target ? [[source]] : await snapshot.paths(source, target, { direction, count, avoidHubs })
    const description = await describePaths({ core, snapshot, call }, paths)
    const [shortest, ...alternatives] = description.paths
    const value = shortest === undefined ? null : { ...shortest, alternatives }
    const notices = value === null ? [noPath(source, target, direction)] : unreadWarnings(description.unread)
    return { value, warnings: notices, paths: description.spelled }
  })
}

function noPath(source: NodeId, target: NodeId, direction: PathOptions['direction']): Warning {
  const ends = `No links lead from ${quoted(source)} to ${quoted(target)}`
  const message =
    direction === 'out'
      ? `${ends} in the forward direction, over any number of links. direction any also follows links backwards.`
      : `${ends} in either direction, over any number of links. suggest_links with id shows what one could link to. search finds notes about both.`
  return { code: 'NOTICE', message }
}

type Pair = readonly [from: NodeId, to: NodeId]

interface ChosenLinks {
  readonly pair: Pair
  readonly occurrence: Occurrence
}

interface Described {
  readonly paths: readonly FoundPath[]
  readonly unread: readonly NodeId[]
  readonly spelled: ReadonlyMap<NodeId, string>
}

async function describePaths(reading: ReadingContext, paths: readonly (readonly NodeId[])[]): Promise<Described> {
  const pairs = new Map<string, Pair>()
  for (const pair of paths.flatMap(pairsOf)) pairs.set(keyOf(pair), pair)
  const links = await chooseLinks(reading.snapshot, [...pairs.values()])
  const occurrences = links.map(({ occurrence }) => occurrence)
  // Link targets are read, too, so changed headings and blocks are up to date.
  const targets = occurrences.flatMap(({ to, subpath }) => (subpath === undefined ? [] : [to]))
  const sentences = await readLinkSentences(reading, occurrences, { named: targets, placed: paths.flat() })
  const hops = new Map(links.map((choice) => [keyOf(choice.pair), hopOf(choice, sentences)] as const))
  const shownPaths = paths.map((path) => ({
    path,
    length: path.length - 1,
    hops: pairsOf(path).flatMap((pair) => hops.get(keyOf(pair)) ?? []),
  }))
  return { paths: shownPaths, unread: sentences.unread, spelled: sentences.paths }
}

async function chooseLinks(snapshot: Snapshot, pairs: readonly Pair[]): Promise<readonly ChosenLinks[]> {
  const both = pairs.flatMap(([from, to]): Pair[] => [
    [from, to],
    [to, from],
  ])
  const occurrences = await snapshot.occurrences(both)
  return pairs.flatMap((pair, index) => {
    // Visible links come first, then links in the direction of the path.
    const candidates = [...(occurrences[2 * index] ?? []), ...(occurrences[2 * index + 1] ?? [])]
    const occurrence = candidates.find(({ inComment }) => !inComment) ?? candidates[0]
    return occurrence === undefined ? [] : [{ pair, occurrence }]
  })
}

function hopOf({ pair: [from, to], occurrence }: ChosenLinks, sentences: LinkSentences): Hop {
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

/** Returns a key for two ids, separated by NUL, which never occurs in ids. */
function keyOf([from, to]: Pair): string {
  return `${from}\0${to}`
}

/** Fills the budget with ids, then links and sentences, then alternatives. */
export function fitPath(answer: PathAnswer, room: number): Fitted<Partial<PathAnswer>> {
  // Half of the space at most is reserved for the ids of the alternatives.
  const hops = (remaining: number) => remaining - Math.min(remaining / 2, leastBytes(answer.alternatives))
  return fitShares(answer, [{ hops }, { alternatives: 1 }], room)
}
