import type { Passage } from '../../ai/prompt.ts'
import { invalid } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Relevance } from '../../search/relevance.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { roundScore } from '../answer/node-response.ts'
import { type SearchArguments, search } from '../find/search.ts'
import { similarNodes } from '../find/similar-nodes.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findPack } from './context-pack.ts'

export interface SearchChunksArguments {
  /** A question, or a note to compare with. */
  readonly query: string | { readonly noteId: string }
  /** The notes to search. The default is `all`. */
  readonly scope?: 'all' | { readonly noteId: string } | { readonly folder: string } | { readonly tag: string } | undefined
  /** The required certainty, which also limits the number of results. The default is `normal`. */
  readonly relevance?: Relevance | undefined
}

export interface FoundChunk extends Pick<Passage, 'title' | 'heading' | 'startLine' | 'endLine' | 'text'> {
  readonly noteId: string
  /** The score, from 0 to 1. */
  readonly score: number
}

const MAX_NOTES: Readonly<Record<Relevance, number>> = { strict: 5, normal: 10, loose: 20 }

/** Returns passages, best first. @throws RouxError like `search` and `similarNodes` */
export async function searchChunks(
  core: GraphCore,
  args: SearchChunksArguments,
  call: Call = {},
): Promise<Answer<readonly FoundChunk[]>> {
  requireValid(args)
  const { query, scope = 'all', relevance = 'normal' } = args
  const where = scope === 'all' ? {} : 'noteId' in scope ? { note: scope.noteId } : scope
  const request = { ...where, relevance, limit: MAX_NOTES[relevance] }
  return typeof query === 'string'
    ? byQuestion(core, { ...request, query }, call)
    : byNote(core, { ...request, id: query.noteId }, call)
}

function requireValid({ query, scope = 'all', relevance = 'normal' }: SearchChunksArguments): void {
  const isPlace = (value: unknown, keys: readonly string[]): boolean => {
    const [[key, name] = [], ...more] = isRecord(value) ? Object.entries(value) : []
    return more.length === 0 && keys.includes(String(key)) && typeof name === 'string'
  }
  const wrong = [
    ...(typeof query === 'string' || isPlace(query, ['noteId']) ? [] : ['query: expected a string or { noteId }']),
    ...(scope === 'all' || isPlace(scope, ['noteId', 'folder', 'tag'])
      ? []
      : ['scope: expected "all", { noteId }, { folder } or { tag }']),
    ...(Object.hasOwn(MAX_NOTES, relevance) ? [] : [`relevance: expected ${Object.keys(MAX_NOTES).join(', ')}`]),
  ]
  if (wrong.length > 0) throw invalid(`${wrong.join('; ')}.`)
}

type ChunkRequest = Pick<SearchArguments, 'note' | 'folder' | 'tag' | 'relevance' | 'limit'>

async function byQuestion(
  core: GraphCore,
  request: ChunkRequest & { readonly query: string },
  call: Call,
): Promise<Answer<readonly FoundChunk[]>> {
  const { value, warnings } = await search(
    core,
    { ...request, includeContent: false, mode: 'hybrid', explain: false, links: 0 },
    call,
  )
  const chunks = value.flatMap(({ id, title, score, passages }) =>
    passages.map(({ heading, start_line: startLine, end_line: endLine, text, score: passageScore }) => ({
      noteId: id,
      title,
      heading,
      startLine,
      endLine,
      text,
      score: roundScore(score * (passageScore / (passages[0]?.score || passageScore || 1))),
    })),
  )
  return { value: chunks.toSorted((a, b) => b.score - a.score), warnings }
}

async function byNote(
  core: GraphCore,
  { note, ...wanted }: ChunkRequest & { readonly id: string },
  call: Call,
): Promise<Answer<readonly FoundChunk[]>> {
  const { value, warnings } = await similarNodes(core, { ...wanted, excludeLinked: false, links: 0 }, call)
  const scores = new Map(value.filter(({ id }) => note === undefined || id === note).map(({ id, score }) => [id, score]))
  if (scores.size === 0) return { value: [], warnings }
  const pack = await findPack(core, { ids: [...scores.keys()] }, call)
  // Similarity was computed for whole notes, so each note keeps one passage.
  const first = new Map(pack.value.toReversed().map((passage) => [passage.node.id, passage]))
  const chunks = [...scores].flatMap(([id, score]): readonly FoundChunk[] => {
    const passage = first.get(id)
    if (passage === undefined) return []
    const { heading, lines, text } = passage.show(Number.POSITIVE_INFINITY)
    return [{ noteId: id, title: passage.title, heading, startLine: lines[0], endLine: lines[1], text, score }]
  })
  return { value: chunks, warnings: [...warnings, ...pack.warnings] }
}
