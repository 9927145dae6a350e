import type { NodeId } from '../core/ids.ts'
import type { NoteText, Occurrence, PathOptions } from '../core/store.ts'
import { sentenceAt } from '../markdown/sentences.ts'
import { answer, type Call } from './answer.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { findIds, unknownIdWarning } from './known-node.ts'

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
  return answer(core, call, async () => {
    const [source, target] = await findIds(core, [args.source, args.target])
    if (source === undefined || target === undefined) {
      const unknown = [source === undefined ? [args.source] : [], target === undefined ? [args.target] : []].flat()
      return { value: null, warnings: await Promise.all(unknown.map((id) => unknownIdWarning(core, id))) }
    }
    const { direction, count, avoidHubs } = args
    const paths = source === target ? [[source]] : await core.store.paths(source, target, { direction, count, avoidHubs })
    const [shortest, ...alternatives] = await describePaths(core, paths)
    return { value: shortest === undefined ? null : { ...shortest, alternatives }, warnings: [] }
  })
}

type Pair = readonly [from: NodeId, to: NodeId]

/** A place that makes a hop, and which of its ends holds it. */
interface Chosen {
  readonly pair: Pair
  readonly occurrence: Occurrence
}

async function describePaths(core: GraphCore, paths: readonly (readonly NodeId[])[]): Promise<readonly FoundPath[]> {
  const pairs = new Map<string, Pair>()
  for (const pair of paths.flatMap(pairsOf)) pairs.set(keyOf(pair), pair)
  const { chosen, texts } = await readLinks(core, [...pairs.values()])
  const described = await Promise.all(
    chosen.map(async (choice) => [keyOf(choice.pair), await describeHop(core, choice, texts)] as const),
  )
  const hops = new Map(described)
  return paths.map((path) => ({
    path,
    length: path.length - 1,
    hops: pairsOf(path).flatMap((pair) => hops.get(keyOf(pair)) ?? []),
  }))
}

interface ReadLinks {
  readonly chosen: readonly Chosen[]
  readonly texts: ReadonlyMap<NodeId, NoteText>
}

/** The links behind these hops and the texts that hold them, of one state. */
async function readLinks(core: GraphCore, pairs: readonly Pair[]): Promise<ReadLinks> {
  const { generation } = await core.store.state()
  const chosen = await chooseLinks(core, pairs)
  const sources = [...new Set(chosen.map(({ occurrence }) => occurrence.from))]
  const texts = new Map<NodeId, NoteText>()
  for (const [index, text] of (await Promise.all(sources.map((id) => core.store.text(id)))).entries()) {
    const id = sources[index]
    if (id !== undefined && text !== undefined) texts.set(id, text)
  }
  // A text that had changed was indexed again when it was read: its offsets are new.
  const unchanged = (await core.store.state()).generation === generation
  return { chosen: unchanged ? chosen : await chooseLinks(core, pairs), texts }
}

async function chooseLinks(core: GraphCore, pairs: readonly Pair[]): Promise<readonly Chosen[]> {
  const both = pairs.flatMap(([from, to]): Pair[] => [
    [from, to],
    [to, from],
  ])
  const found = await core.store.occurrences(both)
  return pairs.flatMap((pair, index) => {
    // A link forwards tells more of this step than one back; one that readers see more than one in a comment.
    const candidates = [...(found[2 * index] ?? []), ...(found[2 * index + 1] ?? [])]
    const occurrence = candidates.find(({ inComment }) => !inComment) ?? candidates[0]
    return occurrence === undefined ? [] : [{ pair, occurrence }]
  })
}

async function describeHop(
  core: GraphCore,
  { pair: [from, to], occurrence }: Chosen,
  texts: ReadonlyMap<NodeId, NoteText>,
): Promise<Hop> {
  const source = texts.get(occurrence.from)
  return {
    from,
    to,
    type: occurrence.property ?? occurrence.kind,
    direction: occurrence.from === from ? 'out' : 'in',
    line: occurrence.line,
    text: source === undefined ? '' : sentenceOf(source, occurrence),
    ...((await isSubpathBroken(core, occurrence)) ? { brokenSubpath: true } : {}),
  }
}

/** A sentence of the body never reaches up into the frontmatter. */
function sentenceOf({ text, bodyStart }: NoteText, { start, end }: Occurrence): string {
  return start < bodyStart ? sentenceAt(text, start, end) : sentenceAt(text.slice(bodyStart), start - bodyStart, end - bodyStart)
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

/** Whether a link names a heading or block that is not in the note it leads to. */
async function isSubpathBroken(core: GraphCore, { to, subpath = '' }: Occurrence): Promise<boolean> {
  if (subpath === '') return false
  const [node] = await core.store.nodes([to], { links: 0 })
  // What follows the `#` of other files is no heading: `report.pdf#page=3`.
  const target = node?.kind === 'note' ? await core.store.text(to) : undefined
  if (target === undefined) return false
  // The parser is loaded when first needed: a server starts without it.
  const [{ hasSubpath }, { parseText }] = await Promise.all([import('../links/subpath.ts'), import('./section.ts')])
  return !hasSubpath(subpath, parseText(target.text, core.indexing.status().mode))
}
