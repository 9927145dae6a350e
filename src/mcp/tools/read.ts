import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { listNodes, randomNode } from '../../app/find/list-nodes.ts'
import { nodesExist } from '../../app/names/known-node.ts'
import { getNode } from '../../app/read/get-node.ts'
import { fitTree, getTree } from '../../app/read/get-tree.ts'
import { listProperties, listTags } from '../../app/read/tags-and-properties.ts'
import { valuesOf } from '../calls/reach.ts'
import { defineTool } from '../definition/define-tool.ts'
import { COUNT, FLAG, listOf, outputSchema, TEXT } from '../definition/schemas.ts'
import { headingPath, kinds, limit, maxTokens, nodeName, offset, page, path, tag } from './parameters.ts'

export const getNodeTool = defineTool({
  name: 'get_node',
  title: 'Read a note',
  description:
    'Returns a note or one section, with tags, links, properties and outline: "Open Garden plan." Long notes come in parts; continue with offset = next_offset.',
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    depth: z.int().min(0).max(1).default(0).describe('1: include its linked notes.'),
    section: headingPath().optional().describe('Only this section: headings, outermost first, or one "^block".'),
    offset: offset('Characters to skip.'),
    max_chars: z.int().min(20).max(10_000).default(10_000).describe('Maximum characters.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'node',
  run: (core, { max_chars, max_tokens, ...args }, call) =>
    getNode(core, { ...args, maxChars: max_chars, maxTokens: max_tokens }, call),
})

export const listNodesTool = defineTool({
  name: 'list_nodes',
  title: 'List notes',
  description:
    'Lists ids and titles, page by page: "everything in Projects". For a tree, use get_tree; for ids of known titles, resolve_nodes.',
  profile: 'full',
  names: { path: 'place', community: 'place' },
  input: () => ({
    tag: tag(),
    path: path(),
    limit: limit(1000, 100),
    offset: offset(),
    kinds: kinds(),
    community: z.string().optional().describe('Only notes of this community (from map).'),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ nodes: listOf({ id: TEXT, path: TEXT, title: TEXT }), total: COUNT }),
  budget: { tokens: DEFAULT_TOKENS.nodes, fit: fitMember('nodes') },
  run: listNodes,
})

export const listTagsTool = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'Lists tags with note counts (including nested tags), most used first: "Which tags do I use?"',
  profile: 'full',
  input: () => ({
    prefix: z.string().optional().describe('Only tags with this prefix.'),
    offset: offset(),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ results: listOf({ tag: TEXT, count: COUNT }) }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: listTags,
})

export const listPropertiesTool = defineTool({
  name: 'list_properties',
  title: 'List properties',
  description: 'Lists property keys with note counts and value types, or the values of one key: "Which statuses are there?"',
  profile: 'full',
  input: () => ({
    key: z.string().optional().describe('List the values of this key.'),
    prefix: z.string().optional().describe('Only keys or values with this prefix.'),
    ...page(1000, 50),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('values', 'properties') },
  run: listProperties,
})

export const getTreeTool = defineTool({
  name: 'get_tree',
  title: 'Folder tree',
  description: 'Shows folders, their note counts and their notes: "How are my notes organized?" For a flat list, use list_nodes.',
  profile: 'full',
  names: { path: 'place' },
  input: () => ({
    path: z.string().optional().describe('Start folder.'),
    depth: z.int().min(1).max(10).default(3).describe('Levels of folders.'),
    limit: limit(1000, 200, 'Maximum notes in the tree.'),
    include_archived: z.boolean().default(false).describe('Include archived notes.'),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitTree },
  run: (core, { include_archived, ...args }, call) => getTree(core, { ...args, includeArchived: include_archived }, call),
})

export const randomNodeTool = defineTool({
  name: 'random_node',
  title: 'Random note',
  description: 'Picks a random note: "Surprise me."',
  profile: 'full',
  input: () => ({
    tags: z.array(z.string()).optional().describe('Only notes with any of these tags.'),
  }),
  wrap: 'node',
  run: randomNode,
})

export const nodesExistTool = defineTool({
  name: 'nodes_exist',
  title: 'Check ids',
  description: 'Checks which ids exist: ["home.md", "rye.md"]. For titles, use resolve_nodes.',
  profile: 'full',
  names: { ids: 'note' },
  input: () => ({
    ids: z.array(z.string()).describe('Up to 1,000; case is ignored.'),
  }),
  output: outputSchema({ results: { type: 'object', additionalProperties: FLAG } }),
  wrap: 'results',
  reach: { kind: 'each', merge: (answers) => Object.assign({}, ...valuesOf(answers)) },
  run: (core, { ids }, call) => nodesExist(core, ids, call),
})

export const verifyQuoteTool = defineTool({
  name: 'verify_quote',
  title: 'Check a quote',
  description:
    'Checks whether a note contains a quote word for word ("rye has less gluten"). Returns its lines or the nearest passage.',
  names: { id: 'note' },
  input: () => ({ id: nodeName('Note'), quote: z.string().min(1).max(10_000).describe('The quoted words.') }),
  run: async (core, args, call) => {
    // The module is imported lazily, because most servers never check a quote.
    const { verifyQuote } = await import('../../app/ask/verify-quote.ts')
    return await verifyQuote(core, args, call)
  },
})
