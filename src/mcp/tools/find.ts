import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { type FoundNode, findNodes } from '../../app/find/find-nodes.ts'
import { fitTags } from '../../app/find/fit-tags.ts'
import { searchByTags } from '../../app/find/list-nodes.ts'
import { mergeFound, mergeRanked, mergeResolved, withoutFallbacks } from '../../app/find/merge.ts'
import { resolveNodes } from '../../app/find/resolve-nodes.ts'
import { type SearchResult, search } from '../../app/find/search.ts'
import { similarNodes } from '../../app/find/similar-nodes.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, includeContent, limit, links, maxTokens, nodeId, page, path, relevance, tag } from './parameters.ts'

export const searchTool = defineTool({
  name: 'search',
  title: 'Search by meaning and words',
  description:
    'Notes that answer a question, by words and meaning, with passages and lines. For exact words, tags, dates, properties: find_nodes.',
  names: { folder: 'place', note: 'note' },
  byMeaning: true,
  searchReadiness: ({ mode }) => (mode === 'keyword' ? 'words' : 'meaning'),
  input: () => ({
    query: z.string().min(1).max(10_000).describe('The question.'),
    ...page(50, 10),
    include_content: includeContent(),
    folder: folder(),
    tag: tag(),
    note: nodeId('Only passages of this note').optional(),
    relevance: relevance(),
    mode: z.enum(['hybrid', 'keyword', 'semantic']).default('hybrid').describe('By words, by meaning, or both.'),
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

export const findNodesTool = defineTool({
  name: 'find_nodes',
  title: 'Find notes by words and filters',
  description: 'Notes that match a query of words and filters, with the text around the match. For questions: search.',
  names: { folder: 'place' },
  searchReadiness: () => 'words',
  input: () => ({
    query: z
      .string()
      .max(500)
      .describe(
        'Words, "a phrase", pre*, #tag, #property=value #property>=2024-01-01, ~relation=title, links:"a note" linkedfrom:note, task:open, community:c4, title:x path:x type:x, created:>2024-01-01 modified:day-7, -has:backlink has:attachment; OR, -not, ( ). Empty: all notes.',
      ),
    ...page(100, 10),
    folder: folder(),
    order_by: z
      .enum(['relevance', 'title', 'modified', 'created'])
      .default('relevance')
      .describe('relevance: modified if there are no words.'),
    order: z.enum(['asc', 'desc']).optional().describe('Default: desc, but asc for title.'),
    include_archived: z.boolean().default(false).describe('Include archived notes.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  reach: {
    kind: 'all',
    counting: (answers: readonly VaultAnswer<readonly FoundNode[]>[]) => withoutFallbacks(answers),
    merge: (answers, { order_by, order }) => mergeFound(valuesOf(answers), { orderBy: order_by, order }),
  },
  run: (core, { order_by, include_archived, ...args }, call) =>
    findNodes(core, { ...args, orderBy: order_by, includeArchived: include_archived }, call),
})

export const resolveNodesTool = defineTool({
  name: 'resolve_nodes',
  title: 'Names to ids',
  description: 'Ids of notes by title or alias, many at once, typos allowed.',
  names: { path: 'place' },
  searchReadiness: ({ strategy }) => (strategy === 'semantic' ? 'meaning' : undefined),
  input: () => ({
    names: z.array(z.string()).describe('Up to 1,000.'),
    strategy: z
      .enum(['exact', 'fuzzy', 'semantic'])
      .default('fuzzy')
      .describe('fuzzy: also similar spelling; semantic: by meaning.'),
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
  description: 'Notes on the same subject, linked or not: for duplicates, further reading.',
  names: { id: 'note', folder: 'place' },
  searchReadiness: () => 'meaning',
  input: () => ({
    id: nodeId('The note'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    exclude_linked: z.boolean().default(false).describe('Leave out notes linked to or from it.'),
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
  description: 'Existing tags and folders that suit a note, by the notes nearest to it. Pass operation to apply_changes.',
  names: { id: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ id: nodeId('The note'), limit: limit(10, 5), relevance: relevance() }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitTags },
  run: async (core, args, call) => {
    // Imported lazily, because the module shares code with checking citations.
    const { suggestTags } = await import('../../app/find/suggest-tags.ts')
    return await suggestTags(core, args, call)
  },
})

export const searchByTagsTool = defineTool({
  name: 'search_by_tags',
  title: 'Notes by tags',
  description: 'Notes with any or all of the tags (nested ones count), with the start of each. list_nodes lists more at once.',
  input: () => ({
    tags: z.array(z.string()).min(1).describe('With or without "#".'),
    mode: z.enum(['any', 'all']).default('any').describe('Any or all.'),
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
    "Another model, the user's own, answers from the notes, with verified citations (they prove where text stands, not that the answer follows). Slower than search, which lets you answer yourself.",
  annotations: { ...READS, idempotentHint: false, openWorldHint: true },
  names: { note_id: 'note', folder: 'place' },
  byModel: true,
  reach: { kind: 'one', mustChoose: true },
  searchReadiness: () => 'meaning',
  input: () => ({
    question: z.string().min(1).max(4_000).describe('The question.'),
    note_id: nodeId('Only this note').optional(),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    history: z
      .array(z.strictObject({ question: z.string().max(4_000), answer: z.string().max(20_000) }))
      .max(6)
      .default([])
      .describe('Earlier questions.'),
  }),
  run: async (core, { note_id, ...args }, call) => {
    // Imported lazily, so none of its code runs if the tool is disabled.
    const { ask } = await import('../../app/ask/ask.ts')
    return await ask(core, { ...args, noteId: note_id }, call)
  },
})
