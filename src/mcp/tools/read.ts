import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { listNodes } from '../../app/find/list-nodes.ts'
import { nodesExist } from '../../app/names/known-node.ts'
import { getNode } from '../../app/read/get-node.ts'
import { fitTree, getTree } from '../../app/read/get-tree.ts'
import { randomNode } from '../../app/read/random-node.ts'
import { listProperties, listTags } from '../../app/read/tags-and-properties.ts'
import { valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { COUNT, FLAG, listOf, outputSchema, TEXT } from '../definition/schemas.ts'
import { headingPath, kinds, limit, maxTokens, nodeName, offset, page, path, specifiedOffset, tag } from './parameters.ts'

export const getNodeTool = defineTool({
  name: 'get_node',
  title: 'Read a note',
  description:
    'Reads a note: content, tags, links, properties, outline. Long notes come in parts: continue with offset = next_offset, or ask for a section.',
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    depth: z.int().min(0).max(1).default(0).describe('1: also up to 20 linked notes each way.'),
    section: headingPath().optional().describe('Only this: headings, outermost first, or one "^block".'),
    offset: z.int().min(0).default(0).describe('Characters to skip.'),
    max_chars: z.int().min(20).max(10_000).default(10_000).describe('Characters of content.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'node',
  run: (core, { max_chars, max_tokens, ...args }, call) =>
    getNode(core, { ...args, maxChars: max_chars, maxTokens: max_tokens }, call),
})

export const listNodesTool = defineTool({
  name: 'list_nodes',
  title: 'List notes',
  description: 'Ids and titles, page by page. For a tree: get_tree; to find a name: resolve_nodes.',
  names: { path: 'place', community: 'place' },
  input: () => ({
    tag: tag(),
    path: path(),
    limit: limit(1000, 100),
    offset: specifiedOffset(),
    kinds: kinds(),
    community: z.string().optional().describe('Only notes of this community (from map).'),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ nodes: listOf({ id: TEXT, title: TEXT }), total: COUNT }),
  budget: { tokens: DEFAULT_TOKENS.nodes, fit: fitMember('nodes') },
  run: listNodes,
})

export const listTagsTool = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'Tags, with the number of notes that have each or a nested tag, most used first.',
  input: () => ({
    prefix: z.string().optional().describe('Only tags that begin with this.'),
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
  description: 'Property keys, with the number of notes and kinds of values; given key, its values.',
  input: () => ({
    key: z.string().optional().describe('List its values.'),
    prefix: z.string().optional().describe('Only what begins with this.'),
    ...page(1000, 50),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('values', 'properties') },
  run: listProperties,
})

export const getTreeTool = defineTool({
  name: 'get_tree',
  title: 'Folder tree',
  description: 'The folders of a vault with note counts, and its notes at the leaves. For a flat list: list_nodes.',
  names: { path: 'place' },
  input: () => ({
    path: z.string().optional().describe('Folder to start at.'),
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
  description: 'Any note, for discovery or review.',
  annotations: { ...READS, idempotentHint: false },
  input: () => ({
    tags: z.array(z.string()).optional().describe('With any of these tags.'),
  }),
  wrap: 'node',
  run: randomNode,
})

export const nodesExistTool = defineTool({
  name: 'nodes_exist',
  title: 'Check ids',
  description: 'Which ids exist. For names: resolve_nodes.',
  names: { ids: 'note' },
  input: () => ({
    ids: z.array(z.string()).describe('In any case, up to 1,000.'),
  }),
  output: outputSchema({ results: { type: 'object', additionalProperties: FLAG } }),
  wrap: 'results',
  reach: { kind: 'each', merge: (answers) => Object.assign({}, ...valuesOf(answers)) },
  run: (core, { ids }, call) => nodesExist(core, ids, call),
})
