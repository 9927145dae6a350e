import type { FindOrder, Found } from '../core/search.ts'
import type { Scope, Snapshot } from '../core/store.ts'
import { parseQuery } from '../search/query/parse-query.ts'
import type { Query } from '../search/query/query.ts'
import type { QueryWord } from '../search/query/query-words.ts'
import type { SnippetQuery } from '../search/words/matches.ts'
import { phraseOf, queryTerms } from '../search/words/query.ts'
import { snippet } from '../search/words/snippet.ts'
import type { Call } from './answer.ts'
import { closeTitles } from './close-titles.ts'
import { findByQuery } from './find-by-query.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { MAX_LINKS, metadataResponse, type NodeResponse } from './node-response.ts'
import { noteTexts } from './note-texts.ts'
import { toScope } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'

export interface FindArguments {
  /** See `docs/query.md`. */
  readonly query: string
  readonly limit: number
  readonly folder?: string | undefined
  readonly orderBy: FindOrder['by']
  readonly order?: 'asc' | 'desc' | undefined
  readonly includeArchived: boolean
}

export interface FoundNode extends NodeResponse {
  /** 0–1. */
  readonly score: number
  readonly created?: string
  readonly modified?: string
  /** The text around the best match, white space collapsed. */
  readonly snippet: string
  /** Where the words stand in `snippet`: UTF-16 offsets. */
  readonly highlights: readonly (readonly [start: number, end: number])[]
  /** 1-based line in the file. */
  readonly line: number
}

const SNIPPET_LENGTH = 240

/**
 * The notes that a query asks for.
 * @throws RouxError `INVALID_PARAMS` that shows where the query does not parse.
 */
export function findNodes(core: GraphCore, args: FindArguments, call: Call = {}): Promise<Answer<readonly FoundNode[]>> {
  return answerFindable(core, call, 'words', async (read) => {
    const query = parseQuery(args.query, new Date())
    return await read((snapshot) => findIn({ core, snapshot, call }, query, args))
  })
}

interface Reading {
  readonly core: GraphCore
  readonly snapshot: Snapshot
  readonly call: Call
}

async function findIn(reading: Reading, query: Query, args: FindArguments): Promise<Answer<readonly FoundNode[]>> {
  const { core, snapshot } = reading
  const scope = toScope({ folder: args.folder })
  const { found, words, isFallback } = await findByQuery(snapshot, core, query, {
    ...args,
    scope: { ...scope, withoutArchived: !args.includeArchived },
    page: { offset: 0, limit: args.limit },
  })
  const warnings: Warning[] = found.items.length === 0 ? [...(await scopeWarnings(snapshot, { folder: args.folder }))] : []
  if (isFallback) warnings.push({ code: 'FALLBACK', message: 'No note has all of these words; these have some of them.' })
  if (found.items.length === 0 || isFallback) warnings.push(...(await didYouMean(snapshot, args.query, scope)))
  return { value: await describe(reading, found.items, words), warnings }
}

/** The notes found, with the text around the best match of each. */
async function describe(
  { core, snapshot, call }: Reading,
  items: Found['items'],
  words: readonly QueryWord[],
): Promise<readonly FoundNode[]> {
  const ids = items.map(({ id }) => id)
  const sources = await noteTexts(core, snapshot, ids, call.signal)
  const nodes = await snapshot.nodes(ids, { links: MAX_LINKS, times: true })
  const query = snippetQuery(words)
  return items.flatMap(({ score = 1 }, at): readonly FoundNode[] => {
    const node = nodes[at]
    const source = sources[at]
    if (node === undefined || source === undefined) return []
    const { text, highlights, line } = snippet(source.text, source.bodyStart, query, SNIPPET_LENGTH)
    const times = {
      ...(node.created === undefined ? undefined : { created: node.created }),
      ...(node.modified === undefined ? undefined : { modified: node.modified }),
    }
    // Without words nothing is ranked, and every note is as good an answer.
    const shown = words.length === 0 ? 1 : score
    return [{ ...metadataResponse(node), score: round(shown), ...times, snippet: text, highlights, line }]
  })
}

async function didYouMean(snapshot: Snapshot, query: string, scope: Scope): Promise<readonly Warning[]> {
  const close = await closeTitles(snapshot, query, scope)
  if (close.length === 0) return []
  const names = close.map(({ id, name }) => `${JSON.stringify(name)} (${id})`).join(', ')
  return [{ code: 'FALLBACK', message: `Did you mean ${names}?` }]
}

/** What to mark in a text. */
function snippetQuery(words: readonly QueryWord[]): SnippetQuery {
  const terms = words.flatMap(({ form, text }) =>
    form === 'phrase'
      ? []
      : queryTerms(text).map((term) => ({ term: form === 'prefix' ? { ...term, match: 'prefix' as const } : term, weight: 1 })),
  )
  const phrases = words.filter(({ form }) => form === 'phrase').map(({ text }) => phraseOf(text))
  return { terms, phrases }
}

function round(score: number): number {
  return Number(score.toFixed(4))
}
