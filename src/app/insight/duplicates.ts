import { foldId, type NodeId } from '../../core/ids.ts'
import type { DuplicatePair, Insight } from '../../core/insight/insight.ts'
import { type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { roundScore } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { answerFromInsight } from '../find/communities.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { type ReadingContext, readTexts, unreadWarnings } from '../read/texts.ts'
import { trimFolder } from '../scope.ts'
import { isBelow } from './map.ts'

/** Two notes with nearly the same content. Either note may be the copy. */
export interface DuplicateNotes {
  readonly kind: 'duplicate'
  readonly id: NodeId
  /** The number of the first line that both notes contain, or 0. */
  readonly line: number
  /** The text of that line, or a short description if there is no common line. */
  readonly text: string
  readonly candidates: readonly [NodeId]
  /** Number of identical lines, without boilerplate. */
  readonly equal_lines: number
  /** The share of common word sequences, 0–1. */
  readonly alike: number
}

export interface DuplicateList {
  readonly problems: readonly DuplicateNotes[]
  readonly total: number
}

export interface DuplicatesArguments extends PageArguments {
  readonly folder?: string | undefined
}

/** Returns pairs of notes, the most similar first. */
export function listDuplicates(core: GraphCore, args: DuplicatesArguments, call: Call = {}): Promise<Answer<DuplicateList>> {
  return answerFromInsight(core, call, {
    from: core.insights,
    empty: { problems: [], total: 0 },
    use: (insight, read, startedCall) => read((snapshot) => duplicatesIn({ core, snapshot, call: startedCall, insight }, args)),
  })
}

interface DuplicatesContext extends ReadingContext {
  readonly insight: Insight
}

async function duplicatesIn(reading: DuplicatesContext, args: DuplicatesArguments): Promise<Answer<DuplicateList>> {
  const { core, snapshot, call, insight } = reading
  const folder = foldId(trimFolder(args.folder ?? ''))
  const isIn = (note: number): boolean => folder === '' || isBelow(insight.ids[note] as NodeId, folder, core)
  const all = await presentPairs(
    reading,
    insight.duplicates.filter(({ notes }) => notes.some(isIn)),
  )
  const page = pageFor(args, call)
  const pairs = all.slice(page.offset, page.offset + page.limit).map((pair) => (isIn(pair.notes[0]) ? pair : swapped(pair)))
  // The line numbers are only valid for the generation of the insight.
  const isCurrent = snapshot.generation === insight.generation
  const sources = pairs.flatMap(({ notes: [note], lines }) =>
    isCurrent && lines.length > 0 ? [insight.ids[note] as NodeId] : [],
  )
  const { texts, unread, changed } = await readTexts(reading, [...new Set(sources)])
  const problems = pairs.map(({ notes: [note, other], equalLines, alike, lines: [first] }): DuplicateNotes => {
    const id = insight.ids[note] as NodeId
    const text = changed.has(id) ? undefined : texts.get(id)?.text.split(/\r\n|\n|\r/)
    const firstLine = first === undefined ? undefined : text?.[first[0] - 1]?.trim()
    return {
      kind: 'duplicate',
      id,
      line: first === undefined || firstLine === undefined ? 0 : first[0],
      text: firstLine ?? (alike === 1 ? 'The whole text is the same.' : 'Much of the text is the same.'),
      candidates: [insight.ids[other] as NodeId],
      equal_lines: equalLines,
      alike: roundScore(alike),
    }
  })
  const empty = all.length === 0 ? await scopeWarnings(snapshot, { folder: args.folder }) : []
  const list = listResult({ problems, total: all.length }, { offset: page.offset, shown: problems.length, total: all.length })
  return { ...list, warnings: [...empty, ...unreadWarnings(unread)] }
}

async function presentPairs(
  { snapshot, insight }: DuplicatesContext,
  pairs: readonly DuplicatePair[],
): Promise<readonly DuplicatePair[]> {
  if (snapshot.generation === insight.generation) return pairs
  const notes = [...new Set(pairs.flatMap((pair) => pair.notes))]
  const nodes = await snapshot.nodes(
    notes.map((note) => insight.ids[note] as NodeId),
    { links: 0 },
  )
  const present = new Set(notes.filter((_, at) => nodes[at]?.kind === 'note' && !nodes[at].excluded))
  return pairs.filter((pair) => pair.notes.every((note) => present.has(note)))
}

function swapped({ notes: [a, b], lines, ...rest }: DuplicatePair): DuplicatePair {
  return { ...rest, notes: [b, a], lines: lines.map(([lineA, other]) => [other, lineA]) }
}
