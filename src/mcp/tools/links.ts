import * as z from 'zod/v4'
import { DEFAULT_TOKENS, type Fitted } from '../../app/answer/budget.ts'
import { fitRows, rowsFitter } from '../../app/answer/fit-list.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { getProblems, LINK_KINDS, REPORTED_KINDS } from '../../app/insight/get-problems.ts'
import { findPath, fitPath } from '../../app/links/find-path.ts'
import { getHubs } from '../../app/links/get-hubs.ts'
import { getNeighbors, type Neighbor } from '../../app/links/get-neighbors.ts'
import { defineTool } from '../definition/define-tool.ts'
import { folder, includeContent, kinds, limit, links, maxTokens, nodeName, offset, page, tag } from './parameters.ts'

type Arguments = Readonly<Record<string, unknown>>

const DEFAULT_LINKED = 20
/** Properties and links get a large share, because the default budget is small. */
const fitLinked = rowsFitter(0.9)

export const getNeighborsTool = defineTool({
  name: 'get_neighbors',
  title: 'Linked notes',
  description:
    'Lists notes that link to a note (backlinks) or are linked from it, most-linked first. For "Who mentions Rye, and how?", use direction "in" with evidence.',
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('in: notes that link to it; out: notes it links to.'),
    ...page(50, DEFAULT_LINKED),
    include_content: includeContent(),
    type: z.string().optional().describe('Only links in this property: "up".'),
    kinds: kinds(),
    evidence: z.boolean().default(false).describe('Include the linking sentences.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  showsOnMap: true,
  budget: { tokens: tokensForNeighbors, fit: fitNeighbors },
  run: (core, { include_content, ...args }, call) => getNeighbors(core, { ...args, includeContent: include_content }, call),
})

/** Returns the token budget, which is larger for optional content. The linking sentences of 26 notes take 3,300 tokens. */
function tokensForNeighbors({ evidence, include_content, links = 0, limit = DEFAULT_LINKED }: Arguments): number {
  if (evidence === true) return DEFAULT_TOKENS.node
  const isMoreAsked = include_content === true || Number(links) > 0 || Number(limit) > DEFAULT_LINKED
  return isMoreAsked ? DEFAULT_TOKENS.list : DEFAULT_TOKENS.linked
}

function fitNeighbors(rows: readonly Neighbor[], room: number, args: Arguments): Fitted<readonly Neighbor[]> {
  return (tokensForNeighbors(args) === DEFAULT_TOKENS.linked ? fitLinked : fitRows)(rows, room, args)
}

export const findPathTool = defineTool({
  name: 'find_path',
  title: 'Find a path',
  description: 'Finds the shortest path of links, with the sentence around each link: "How are Rye and Gluten connected?"',
  names: { source: 'note', target: 'note' },
  input: () => ({
    source: nodeName('Start'),
    target: nodeName('End'),
    direction: z.enum(['any', 'out']).default('any').describe('out: follow links forwards only.'),
    count: z.int().min(1).max(5).default(1).describe('Number of paths.'),
    avoid_hubs: z.boolean().default(false).describe('Avoid the most-linked notes.'),
    max_tokens: maxTokens(),
  }),
  showsOnMap: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitPath },
  run: (core, { avoid_hubs, ...args }, call) => findPath(core, { ...args, avoidHubs: avoid_hubs }, call),
})

export const getHubsTool = defineTool({
  name: 'get_hubs',
  title: 'Most central notes',
  description: 'Lists the most-linked notes in a vault, folder or tag: "Which notes matter most?"',
  names: { folder: 'place' },
  input: () => ({
    metric: z
      .enum(['in_degree', 'out_degree', 'pagerank', 'betweenness'])
      .default('in_degree')
      .describe('Incoming links, outgoing links, importance, or links between parts.'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  showsOnMap: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: getHubs,
})

export const getProblemsTool = defineTool({
  name: 'get_problems',
  title: 'Problems',
  description: 'Lists problems with notes, links and names, with file, line and suggestions: "Which links are broken?"',
  names: { folder: 'place', target: 'note' },
  input: () => ({
    kind: z.enum(REPORTED_KINDS).optional().describe('twin: paths that differ only in case. duplicate: almost the same text.'),
    folder: folder(),
    target: nodeName('Only links to this note').optional(),
    summary: z.boolean().default(false).describe('Count only.'),
    limit: limit(100, 20),
    offset: offset(),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('problems') },
  check: ({ kind, target }) => ({
    messages:
      target === undefined || kind === undefined || LINK_KINDS.some((linkKind) => linkKind === kind)
        ? []
        : [`target: can only be combined with kind ${LINK_KINDS.join(', ')}; ${kind} is not about links to a note`],
    candidates: [],
  }),
  run: getProblems,
})
