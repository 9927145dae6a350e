import type { TaskState } from '../../core/query.ts'
import type { FoundPage } from '../../core/search.ts'
import type { FindOrder, Node, Scope, Snapshot } from '../../core/store.ts'
import { blankData } from '../../core/text/inline-data.ts'
import type { NoteText } from '../../core/texts.ts'
import { legible } from '../../markdown/prose/legible.ts'
import { parseQuery } from '../../search/query/parse-query.ts'
import {
  type CommunityIds,
  positiveTasks,
  positiveWords,
  type Query,
  type QueryWord,
  type TimeField,
  timesIn,
} from '../../search/query/query.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { phraseOf, queryTerms } from '../../search/words/query-terms.ts'
import { type Snippet, snippet } from '../../search/words/snippet.ts'
import { answerFindable, type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { type ListedNode, linksShown, listResponse, roundScore } from '../answer/node-response.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { closeTitles } from '../names/close-titles.ts'
import { type ReadingContext, readableSource, readNotes, unreadWarnings } from '../read/texts.ts'
import { toScope, WITH_TEXT } from '../scope.ts'
import { communitiesNamed } from './communities.ts'
import { findByQuery, orderWith } from './find-by-query.ts'
import { wordsOf } from './passage-text.ts'
import { queryWarnings } from './query-warnings.ts'

export interface FindArguments extends PageArguments {
  /** The query, in the syntax described in `docs/query.md`. */
  readonly query: string
  readonly folder?: string | undefined
  readonly orderBy: FindOrder['by']
  readonly order?: 'asc' | 'desc' | undefined
  readonly includeArchived: boolean
  readonly links?: number | undefined
}

export interface FoundNode extends ListedNode {
  /** The score, from 0 to 1. */
  readonly score: number
  readonly created?: string
  readonly modified?: string
  readonly snippet: string
  /** UTF-16 offsets in `snippet`. They are omitted unless requested. */
  readonly highlights?: readonly (readonly [start: number, end: number])[]
  /** The 1-based number of the line in the file. */
  readonly line: number
}

const SNIPPET_LENGTH = 240

/** Finds notes for a query. @throws RouxError `INVALID_PARAMS` with the position of the syntax error */
export function findNodes(core: GraphCore, args: FindArguments, call: Call = {}): Promise<Answer<readonly FoundNode[]>> {
  return answerFindable(core, call, 'words', async (read) => {
    const query = parseQuery(args.query, new Date())
    const { communities, warnings } = await communitiesNamed(core, call, query)
    const isEmpty = (value: readonly FoundNode[]): boolean => value.length === 0
    const result = await read((snapshot) =>
      inMatchingFolder({ snapshot, call, folder: args.folder, isEmpty }, (folder) =>
        findIn({ core, snapshot, call }, query, { ...args, folder, communities }),
      ),
    )
    return { ...result, warnings: [...warnings, ...result.warnings] }
  })
}

async function findIn(
  reading: ReadingContext,
  query: Query,
  args: FindArguments & { readonly communities: CommunityIds },
): Promise<Answer<readonly FoundNode[]>> {
  const { core, snapshot } = reading
  const page = pageFor(args, reading.call)
  const { notes, words, fallback, ...facts } = await findByQuery(snapshot, core, query, {
    ...args,
    isPart: reading.call.isPart,
    scope: scopeOf(args, query),
    page,
  })
  const isEmpty = notes.total === 0
  const [queryNotices, missing, close, description] = await Promise.all([
    queryWarnings(snapshot, query, { text: args.query, ...facts, isEmpty, call: reading.call }),
    isEmpty ? scopeWarnings(snapshot, { folder: args.folder }, reading.call) : [],
    isEmpty || fallback !== undefined ? didYouMean(snapshot, args.query, toScope({ folder: args.folder })) : [],
    describe(reading, notes.items, {
      words,
      tasks: positiveTasks(query),
      links: linksShown(args.links, reading.call),
      dates: datesShown(query, args),
    }),
  ])
  const fallbackWarnings: readonly Warning[] = fallback === undefined ? [] : [{ code: 'FALLBACK', message: FALLBACKS[fallback] }]
  const list = listResult(description.value, { offset: page.offset, shown: notes.items.length, total: notes.total })
  return { ...list, warnings: [...queryNotices, ...missing, ...fallbackWarnings, ...close, ...description.warnings] }
}

export function scopeOf({ folder, includeArchived }: FindArguments, query: Query): Scope {
  const scope = { ...toScope({ folder }), withoutArchived: !includeArchived }
  return positiveWords(query).length > 0 ? { ...scope, kinds: WITH_TEXT } : scope
}

const FALLBACKS = {
  some: 'No note has all of these words. The notes shown have some of them.',
  begun: 'No note has exactly these words. The notes shown have words that start with them.',
}

function datesShown(query: Query, { orderBy }: FindArguments): ReadonlySet<TimeField> {
  const by = orderWith(orderBy, positiveWords(query).length > 0)
  return new Set([...timesIn(query), ...(by === 'modified' || by === 'created' ? [by] : [])])
}

interface TextRequest {
  readonly words: readonly QueryWord[]
  readonly tasks: ReadonlySet<TaskState>
  readonly dates: ReadonlySet<TimeField>
  readonly links: number
}

async function describe(
  reading: ReadingContext,
  items: FoundPage['items'],
  { words, tasks, links, dates }: TextRequest,
): Promise<Answer<readonly FoundNode[]>> {
  const { call } = reading
  const ids = items.map(({ id }) => id)
  const { notes, unread } = await readNotes(reading, ids, { links, times: true, tasks: tasks.size > 0 })
  const query = snippetQuery(words, reading.core.languages)
  const value = items.flatMap(({ score = 1 }, at): readonly FoundNode[] => {
    const note = notes[at]
    if (note === undefined) return []
    const { node, source } = note
    const { text, highlights, line } =
      source === undefined ? NO_SNIPPET : (tasksOf(node, source, { query, tasks }) ?? snippetOf(node, source, query))
    const times = {
      ...(node.created === undefined || !dates.has('created') ? undefined : { created: node.created }),
      ...(node.modified === undefined || !dates.has('modified') ? undefined : { modified: node.modified }),
    }
    const shownScore = words.length === 0 ? 1 : score
    const marks = call.withHighlights === true ? { highlights } : undefined
    return [{ ...listResponse(node, 'metadata'), score: roundScore(shownScore), ...times, snippet: text, ...marks, line }]
  })
  return { value, warnings: unreadWarnings(unread) }
}

const NO_SNIPPET = { text: '', highlights: [], line: 1 } as const

function snippetOf(node: Node, source: NoteText, query: SnippetQuery) {
  const text = blankData(readableSource(node, source).text)
  const visible = legible(text)
  // Images and comments are shown only if the note contains nothing else.
  const shownText = visible.slice(source.bodyStart).trim() === '' ? text : visible
  // The snippet ignores link addresses, because they are not searched.
  const countedText = query.terms.length === 0 && query.phrases.length === 0 ? {} : { seen: wordsOf(text) }
  return snippet(shownText, source.bodyStart, query, { maxLength: SNIPPET_LENGTH, ...countedText })
}

/** Returns the tasks with the most query words. Blank tasks are skipped unless all are blank. */
function tasksOf(
  { tasks = [] }: Node,
  { text }: NoteText,
  request: { readonly query: SnippetQuery; readonly tasks: ReadonlySet<TaskState> },
): Snippet | undefined {
  const matching = tasks.filter(({ state }) => request.tasks.has('any') || request.tasks.has(state as TaskState))
  if (matching.length === 0) return undefined
  const lines = text.split('\n', matching.at(-1)?.line)
  const all = matching.map(({ line }) => ({
    ...snippet(lines[line - 1] ?? '', 0, request.query, { maxLength: TASK_LENGTH }),
    line,
  }))
  const filled = all.filter((task) => !BLANK_TASK.test(task.text))
  const maxHighlights = Math.max(...all.map(({ highlights }) => highlights.length))
  return joined((filled.length > 0 ? filled : all).filter(({ highlights }) => highlights.length === maxHighlights))
}

const TASK_LENGTH = SNIPPET_LENGTH - 20
const BLANK_TASK = /^\S+\s+\[.\]$/

/** Joins as many snippets as fit, and appends the number of omitted ones. */
function joined(all: readonly Snippet[]): Snippet | undefined {
  const [first] = all
  if (first === undefined) return undefined
  for (let count = Math.min(all.length, MAX_TASKS); ; count--) {
    const more = count < all.length ? [`… ${all.length - count} more`] : []
    const snippets = all.slice(0, count)
    const text = [...snippets.map((snippet) => snippet.text), ...more].join('\n')
    if (text.length <= SNIPPET_LENGTH || count === 1) return { text, highlights: shiftHighlights(snippets), line: first.line }
  }
}

const MAX_TASKS = SNIPPET_LENGTH / '- [ ]'.length

function shiftHighlights(snippets: readonly Snippet[]): Snippet['highlights'] {
  let by = 0
  return snippets.flatMap(({ text, highlights }) => {
    const from = by
    by += text.length + 1
    return highlights.map(([start, end]) => [start + from, end + from] as const)
  })
}

async function didYouMean(snapshot: Snapshot, query: string, scope: Scope): Promise<readonly Warning[]> {
  const close = await closeTitles(snapshot, query, scope)
  if (close.length === 0) return []
  const names = close.map(({ id, name }) => `${JSON.stringify(name)} (${id})`).join(', ')
  return [{ code: 'FALLBACK', message: `Did you mean ${names}?` }]
}

function snippetQuery(words: readonly QueryWord[], languages: readonly string[]): SnippetQuery {
  const terms = words.flatMap(({ form, text }) =>
    form === 'phrase'
      ? []
      : queryTerms(text, languages).map((term) => ({
          term: form === 'prefix' ? { ...term, match: 'prefix' as const } : term,
          weight: 1,
        })),
  )
  const phrases = words.filter(({ form }) => form === 'phrase').map(({ text }) => phraseOf(text))
  return { terms, phrases, languages }
}
