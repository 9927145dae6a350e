import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { type FoundNode, findNodes } from '../../app/find/find-nodes.ts'
import { fitTags } from '../../app/find/fit-tags.ts'
import { countNodes, groupNodes, type NoteCount, type NoteGroups } from '../../app/find/group-notes.ts'
import { searchByTags } from '../../app/find/list-nodes.ts'
import { mergeAnswers, mergeRanked, mergeResolved, withoutFallbacks } from '../../app/find/merge.ts'
import { resolveNodes } from '../../app/find/resolve-nodes.ts'
import { type SearchResult, search } from '../../app/find/search.ts'
import { similarNodes } from '../../app/find/similar-nodes.ts'
import type { Answer } from '../../app/graph-core.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, READS, toolLiteral } from '../definition/define-tool.ts'
import { folder, includeContent, limit, links, maxTokens, nodeName, page, path, relevance, tag } from './parameters.ts'

export const SEARCH = toolLiteral({
  name: 'search',
  title: 'Search',
  description:
    'Finds notes and passages that answer a question, by words and meaning: "How do I keep dough warm?" For exact words, tags, dates or properties, use find_nodes.',
  names: { folder: 'place', note: 'note' },
  needsEmbedder: true,
  searchReadiness: ({ mode }) => (mode === 'keyword' ? 'words' : 'meaning'),
  input: () => ({
    query: z.string().min(1).max(10_000).describe('The question.'),
    ...page(50, 10),
    include_content: includeContent(),
    folder: folder(),
    tag: tag(),
    note: nodeName('Only passages from this note').optional(),
    relevance: relevance(),
    mode: z
      .enum(['hybrid', 'keyword', 'semantic'])
      .default('hybrid')
      .describe('keyword: by words; semantic: by meaning; hybrid: both.'),
    explain: z.boolean().default(false).describe('Show ranks and scores.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  reach: {
    kind: 'all',
    merge: (answers: readonly VaultAnswer<readonly SearchResult[]>[]) => mergeRanked(valuesOf(answers)),
  },
  run: (core, { include_content, max_tokens, ...args }, call) =>
    search(core, { ...args, includeContent: include_content, maxTokens: max_tokens }, call),
})

export const searchTool = defineTool(SEARCH)

export const findNodesTool = defineTool({
  name: 'find_nodes',
  title: 'Find notes',
  description: 'Finds or counts notes by words and filters: "books per author". For questions, use search.',
  names: { folder: 'place' },
  searchReadiness: () => 'words',
  input: () => ({
    query: z
      .string()
      .max(500)
      .describe(
        'Words, "a phrase" pre* #tag #status=done #due<2024-05 ~up=title; links:rye (linking to Rye) linkedfrom:rye (linked from Rye), or with a query: -linkedfrom:(#MOC) links:(folder:"People"); task:open community:c4 title: path: folder: modified:day-7 -has:backlink; OR, ( ). Empty: all.',
      ),
    group_by: z
      .string()
      .max(200)
      .optional()
      .describe('Property, folder, tag, community or created:month; or two: "author, created:year".'),
    count: z.boolean().default(false).describe('Only count the notes.'),
    ...page(100, 10),
    folder: folder(),
    order_by: z
      .enum(['relevance', 'title', 'modified', 'created'])
      .default('relevance')
      .describe('Queries without words default to modified.'),
    order: z.enum(['asc', 'desc']).optional().describe('Default: desc, or asc for title.'),
    include_archived: z.boolean().default(false).describe('Include archived notes.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: {
    tokens: DEFAULT_TOKENS.list,
    fit: (value, room, args) => (Array.isArray(value) ? fitRows(value, room, args) : fitGroups(value, room)),
  },
  reach: {
    kind: 'all',
    counting: (answers: readonly VaultAnswer<FindAnswer>[]) => withoutFallbacks(answers),
    merge: (answers, { order_by, order }) => mergeAnswers(valuesOf(answers), { orderBy: order_by, order }),
  },
  check: ({ count, group_by }) => ({
    messages: count && group_by !== undefined ? ['count: cannot be combined with group_by, which also counts'] : [],
    candidates: [],
  }),
  run: (core, { order_by, include_archived, group_by: groupBy, count, ...given }, call): Promise<Answer<FindAnswer>> => {
    const args = { ...given, orderBy: order_by, includeArchived: include_archived }
    if (count) return countNodes(core, args, call)
    return groupBy === undefined ? findNodes(core, args, call) : groupNodes(core, { ...args, groupBy }, call)
  },
})

type FindAnswer = readonly FoundNode[] | NoteGroups | NoteCount

const fitGroups = fitMember('groups')

export const resolveNodesTool = defineTool({
  name: 'resolve_nodes',
  title: 'Names to ids',
  description: 'Finds the ids of notes by title, alias or path, even if misspelled: "Gardn plan".',
  profile: 'full',
  names: { path: 'place' },
  searchReadiness: ({ strategy }) => (strategy === 'semantic' ? 'meaning' : undefined),
  input: () => ({
    names: z.array(z.string()).describe('Up to 1,000.'),
    strategy: z.enum(['exact', 'fuzzy', 'semantic']).default('fuzzy').describe('fuzzy: allows typos; semantic: by meaning.'),
    threshold: z.number().min(0).max(1).default(0.7).describe('Minimum similarity.'),
    tag: tag(),
    path: path(),
  }),
  wrap: 'results',
  reach: { kind: 'all', merge: (answers) => mergeResolved(valuesOf(answers)) },
  run: resolveNodes,
})

export const similarNodesTool = defineTool({
  name: 'similar_nodes',
  title: 'Similar notes',
  description: 'Finds notes on the same subject as the given note, linked or not: "What else is like this?"',
  profile: 'full',
  names: { id: 'note', folder: 'place' },
  searchReadiness: () => 'meaning',
  input: () => ({
    id: nodeName('The note'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    exclude_linked: z.boolean().default(false).describe('Exclude notes already linked.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: (core, { exclude_linked, ...args }, call) => similarNodes(core, { ...args, excludeLinked: exclude_linked }, call),
})

export const suggestTagsTool = defineTool({
  name: 'suggest_tags',
  title: 'Tags and folders for a note',
  description: 'Suggests existing tags and folders for a note: "How should I file this?" Pass the operation to apply_changes.',
  profile: 'full',
  names: { id: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ id: nodeName('The note'), limit: limit(10, 5), relevance: relevance() }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitTags },
  run: async (core, args, call) => {
    // The module is imported lazily, because it also loads the citation checks.
    const { suggestTags } = await import('../../app/find/suggest-tags.ts')
    return await suggestTags(core, args, call)
  },
})

export const searchByTagsTool = defineTool({
  name: 'search_by_tags',
  title: 'Notes by tags',
  description: 'Finds notes with any or all of the given tags, including nested tags: "recipes that are quick".',
  profile: 'full',
  input: () => ({
    tags: z.array(z.string()).min(1).describe('With or without "#".'),
    mode: z.enum(['any', 'all']).default('any').describe('all: notes with every tag.'),
    ...page(100, 20),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: searchByTags,
})

export const askTool = defineTool({
  name: 'ask',
  title: 'Ask a model about the notes',
  description:
    'Asks the user\'s own model to answer from the notes, with citations: "Ask my model about rye." Verifies quotes, but not the answer. Slower than answering yourself with search.',
  annotations: { ...READS, openWorldHint: true },
  names: { note_id: 'note', folder: 'place' },
  needsChatModel: true,
  reach: { kind: 'one', mustChoose: true },
  searchReadiness: () => 'meaning',
  input: () => ({
    question: z.string().min(1).max(4_000).describe('The question.'),
    note_id: nodeName('Only this note').optional(),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    history: z
      .array(z.strictObject({ question: z.string().max(4_000), answer: z.string().max(20_000) }))
      .max(6)
      .default([])
      .describe('Earlier questions and answers.'),
  }),
  run: async (core, { note_id, ...args }, call) => {
    // The module is imported lazily, so no chat model code is loaded while `ask` is disabled.
    const { ask } = await import('../../app/ask/ask.ts')
    return await ask(core, { ...args, noteId: note_id }, call)
  },
})
