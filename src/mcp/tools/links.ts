import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { getProblems, LINK_KINDS, REPORTED_KINDS } from '../../app/insight/get-problems.ts'
import { findPath, fitPath } from '../../app/links/find-path.ts'
import { getHubs } from '../../app/links/get-hubs.ts'
import { getNeighbors } from '../../app/links/get-neighbors.ts'
import { defineTool } from '../definition/define-tool.ts'
import { listOf, NUMBER, outputSchema, TEXT } from '../definition/schemas.ts'
import { folder, includeContent, kinds, limit, links, maxTokens, nodeName, page, specifiedOffset, tag } from './parameters.ts'

export const getNeighborsTool = defineTool({
  name: 'get_neighbors',
  title: 'Linked notes',
  description: 'Notes that link to a note (backlinks) or that it links to, most linked first.',
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('in: linking here; out: linked to.'),
    ...page(50, 20),
    include_content: includeContent(),
    type: z.string().optional().describe('Only links in this property.'),
    kinds: kinds(),
    evidence: z.boolean().default(false).describe('Add the sentences that link: who mentions it, and how.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: (core, { include_content, ...args }, call) => getNeighbors(core, { ...args, includeContent: include_content }, call),
})

export const findPathTool = defineTool({
  name: 'find_path',
  title: 'Path between two notes',
  description: 'The shortest path of links, with the sentence each is in.',
  names: { source: 'note', target: 'note' },
  input: () => ({
    source: nodeName('Start'),
    target: nodeName('End'),
    direction: z.enum(['any', 'out']).default('any').describe('out: forwards only.'),
    count: z.int().min(1).max(5).default(1).describe('Number of paths: the first and alternatives.'),
    avoid_hubs: z.boolean().default(false).describe('Avoid the most-linked notes.'),
    max_tokens: maxTokens(),
  }),
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitPath },
  run: (core, { avoid_hubs, ...args }, call) => findPath(core, { ...args, avoidHubs: avoid_hubs }, call),
})

export const getHubsTool = defineTool({
  name: 'get_hubs',
  title: 'Most central notes',
  description: 'The most-linked notes of a vault, folder or tag: a good first look.',
  names: { folder: 'place' },
  input: () => ({
    metric: z
      .enum(['in_degree', 'out_degree', 'pagerank', 'betweenness'])
      .default('in_degree')
      .describe('By incoming links, outgoing links, rank of linking notes, or bridges between parts.'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ results: listOf({ id: TEXT, title: TEXT, score: NUMBER }) }),
  wrap: 'results',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: getHubs,
})

export const getProblemsTool = defineTool({
  name: 'get_problems',
  title: 'Problems in the vault',
  description: 'Problems in notes, links and names, with file, line and suggestions.',
  names: { folder: 'place', target: 'note' },
  input: () => ({
    kind: z
      .enum(REPORTED_KINDS)
      .optional()
      .describe(
        'Only this kind. twin: paths that differ in case only. missing_note: most linked first. duplicate: notes with nearly the same text.',
      ),
    folder: folder(),
    target: z.string().optional().describe('Only links to this note, by path or title.'),
    summary: z.boolean().default(false).describe('Only counts.'),
    limit: limit(100, 20),
    offset: specifiedOffset(),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('problems') },
  check: ({ kind, target }) => ({
    messages:
      target === undefined || kind === undefined || LINK_KINDS.some((one) => one === kind)
        ? []
        : [`target: goes with kind ${LINK_KINDS.join(', ')}, or none; ${kind} is not about links to a note`],
    candidates: [],
  }),
  run: getProblems,
})
