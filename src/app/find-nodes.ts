import type { FindOptions, FoundWord } from '../core/search.ts'
import type { Node, NoteText } from '../core/store.ts'
import { positiveWords } from '../search/query/evaluate.ts'
import { parseQuery } from '../search/query/parse-query.ts'
import type { SnippetQuery } from '../search/words/matches.ts'
import { phraseOf, queryTerms } from '../search/words/query.ts'
import { snippet } from '../search/words/snippet.ts'
import type { Call } from './answer.ts'
import { closeTitles } from './close-titles.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { MAX_LINKS, metadataResponse, type NodeResponse } from './node-response.ts'
import { readableSource } from './readable-source.ts'
import { toScope, WITH_TEXT } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'
import { readNotes, unreadWarnings } from './texts.ts'

export interface FindArguments {
  /** See `docs/query.md`. */
  readonly query: string
  readonly limit: number
  readonly folder?: string | undefined
  readonly orderBy: FindOptions['orderBy']
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
  return answerFindable(core, call, 'words', async () => {
    const { orderBy, order, includeArchived } = args
    const options = { orderBy, ...(order === undefined ? undefined : { order }), includeArchived }
    const scope = toScope({ folder: args.folder })
    const now = new Date()
    // Conditions alone ask for notes: only what is looked for by words may stand on a canvas.
    const hasWords = positiveWords(parseQuery(args.query, now)).length > 0
    const searched = hasWords ? { ...scope, kinds: WITH_TEXT } : scope
    const found = await core.store.find(args.query, now, searched, options, { offset: 0, limit: args.limit })
    const warnings: Warning[] = found.items.length === 0 ? [...(await scopeWarnings(core, { folder: args.folder }))] : []
    if (found.fallback) {
      warnings.push({ code: 'FALLBACK', message: 'No note has all of these words; these have some of them.' })
    }
    if (found.items.length === 0 || found.fallback) warnings.push(...(await didYouMean(core, args.query, scope)))
    const ids = found.items.map(({ id }) => id)
    const { notes, unread } = await readNotes(core, ids, { links: MAX_LINKS, times: true })
    warnings.push(...unreadWarnings(unread))
    const query = snippetQuery(found.words)
    const shown = found.items.flatMap(({ score }, at): readonly FoundNode[] => {
      const note = notes[at]
      if (note === undefined) return []
      const { node, source } = note
      const { text, highlights, line } = source === undefined ? NO_SNIPPET : snippetOf(node, source, query)
      const times = {
        ...(node.created === undefined ? undefined : { created: node.created }),
        ...(node.modified === undefined ? undefined : { modified: node.modified }),
      }
      return [{ ...metadataResponse(node), score: round(score), ...times, snippet: text, highlights, line }]
    })
    return { value: shown, warnings }
  })
}

const NO_SNIPPET = { text: '', highlights: [], line: 1 } as const

function snippetOf(node: Node, source: NoteText, query: SnippetQuery) {
  return snippet(readableSource(node, source).text, source.bodyStart, query, SNIPPET_LENGTH)
}

async function didYouMean(core: GraphCore, query: string, scope: ReturnType<typeof toScope>): Promise<readonly Warning[]> {
  const close = await closeTitles(core, query, scope)
  if (close.length === 0) return []
  const names = close.map(({ id, name }) => `${JSON.stringify(name)} (${id})`).join(', ')
  return [{ code: 'FALLBACK', message: `Did you mean ${names}?` }]
}

/** What to mark in a text. */
function snippetQuery(words: readonly FoundWord[]): SnippetQuery {
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
