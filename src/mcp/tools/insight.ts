import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { changesSince, fitChanges } from '../../app/insight/changes-since.ts'
import { compare, fitComparison } from '../../app/insight/compare.ts'
import { type ContextPack, contextPack, mergePacks } from '../../app/insight/context-pack.ts'
import { fitGaps, GAP_KINDS, listGaps } from '../../app/insight/gaps.ts'
import { fitImpact, type Intent, impact } from '../../app/insight/impact.ts'
import { fitMap, mapVault } from '../../app/insight/map.ts'
import { SUGGESTION_KINDS, suggestLinks } from '../../app/insight/suggest-links.ts'
import { MAX_ITEMS } from '../calls/invalid-arguments.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, type SwitchedOffBy } from '../definition/define-tool.ts'
import { folder, limit, maxTokens, nodeName, offset, page, tag } from './parameters.ts'
import { type GivenOperation, OPERATION_TOOLS, operationsOf, violationsIn } from './write.ts'

const MAX_NOTES = 50

export const contextPackTool = defineTool({
  name: 'context_pack',
  title: 'Gather context',
  description:
    'Collects passages for a question or task, and passages they link to, within a token budget: "Brief me on rye bread."',
  group: 'tools.insight',
  names: { ids: 'note', folder: 'place' },
  searchReadiness: () => 'meaning',
  input: () => ({
    query: z.string().max(10_000).optional().describe('The question.'),
    ids: z.array(z.string()).max(MAX_NOTES).optional().describe('Notes to start from.'),
    max_tokens: maxTokens('Token limit; default 3,000.'),
    folder: folder(),
    tag: tag(),
    offset: offset('Passages to skip.'),
  }),
  reach: {
    kind: 'all',
    merge: (answers: readonly VaultAnswer<ContextPack>[], { offset }) => mergePacks(valuesOf(answers), offset),
  },
  check: ({ query = '', ids = [] }) => ({
    messages: query.trim() === '' && ids.length === 0 ? ['query or ids: expected a question, or ids of notes'] : [],
    candidates: [],
  }),
  run: (core, { max_tokens, query = '', ...args }, call) =>
    contextPack(core, { ...args, ...(query.trim() === '' ? {} : { query }), maxTokens: max_tokens }, call),
})

export const impactTool = defineTool({
  name: 'impact',
  title: 'What a change would break',
  description:
    'Predicts which links a deletion or list of operations would break and which notes it would leave unlinked: "Is it safe to delete Home?"',
  profile: 'full',
  group: 'tools.insight',
  names: { id: 'note', folder: 'place', operations: (tool) => OPERATION_TOOLS.find(({ name }) => name === tool)?.names },
  input: () => ({
    id: nodeName('Note to delete').optional(),
    folder: z.string().optional().describe('Folder to delete.'),
    operations: z
      .array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }))
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .describe('Same as for apply_changes.'),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitImpact },
  check: ({ id, folder, operations }) => {
    const subjects = [id, folder, operations].filter((subject) => subject !== undefined)
    if (subjects.length !== 1) return { messages: ['id, folder, operations: expected exactly one of them'], candidates: [] }
    const unknown = (operations ?? []).flatMap(({ tool }, at) =>
      OPERATION_TOOLS.some(({ name }) => name === tool) ? [] : [`operations[${at}].tool: not a write tool`],
    )
    return unknown.length > 0 ? { messages: unknown, candidates: [] } : violationsIn(operations ?? [])
  },
  run: (core, args, call) =>
    impact(core, { intent: intentOf(args), mayApply: mayApply(args.operations ?? [DELETING], call.switchedOffBy) }, call),
})

interface ImpactArguments {
  readonly id?: string | undefined
  readonly folder?: string | undefined
  readonly operations?: readonly GivenOperation[] | undefined
}

function intentOf({ id, folder, operations }: ImpactArguments): Intent {
  if (operations !== undefined)
    return { kind: 'operations', operations: operationsOf(operations).map(({ operation }) => operation) }
  return folder === undefined ? { kind: 'id', id: id ?? '' } : { kind: 'folder', folder }
}

const DELETING: GivenOperation = { tool: 'delete_node', arguments: {} }

const APPLYING = { name: 'apply_changes', needs: 'tools.write' } as const

/** If false, the answer contains no plan. */
function mayApply(operations: readonly GivenOperation[], switchedOffBy: SwitchedOffBy): boolean {
  const usedTools = OPERATION_TOOLS.filter(({ name }) => operations.some(({ tool }) => tool === name))
  return [APPLYING, ...usedTools].every((tool) => switchedOffBy(tool) === undefined)
}

export const compareTool = defineTool({
  name: 'compare',
  title: 'Compare notes',
  description: 'Shows the links and passages two notes share, how they differ, and the path between them: "Are these the same?"',
  profile: 'full',
  group: 'tools.insight',
  names: { a: 'note', b: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ a: z.string().describe('Id or title.'), b: z.string().describe('Id or title.'), max_tokens: maxTokens() }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitComparison },
  run: (core, { a, b }, call) => compare(core, { a, b }, call),
})

export const changesSinceTool = defineTool({
  name: 'changes_since',
  title: 'Recent changes',
  description: 'Lists net changes to notes and links, by anyone, since a date or an earlier call: "What is new since Monday?"',
  profile: 'full',
  group: 'tools.insight',
  names: { cursor: 'place', folder: 'place' },
  input: () => ({
    cursor: z.string().optional().describe('From an earlier answer.'),
    since: z.string().optional().describe('2024-01-31, monday, 12h; default 7d.'),
    folder: folder(),
    limit: limit(200, 20, 'Results per list.'),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitChanges },
  check: ({ cursor, since }) => ({
    messages: cursor !== undefined && since !== undefined ? ['since: cannot be combined with cursor'] : [],
    candidates: [],
  }),
  run: changesSince,
})

export const suggestLinksTool = defineTool({
  name: 'suggest_links',
  title: 'Missing links',
  description:
    'Suggests missing links for a note or the whole vault, best first: "What should this link to?" Kind "named": the text mentions another note; pass the edit to apply_changes. Kind "related": similar notes.',
  profile: 'full',
  group: 'tools.insight',
  names: { id: 'note', folder: 'place' },
  input: () => ({
    id: nodeName('Only from this note').optional(),
    folder: folder(),
    kind: z.enum(SUGGESTION_KINDS).default('both').describe('Only this kind.'),
    limit: limit(100, 10),
    offset: offset(),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('suggestions') },
  run: suggestLinks,
})

export const mapTool = defineTool({
  name: 'map',
  title: 'Vault map',
  description:
    'Gives an overview of a vault: its communities, with key notes and keywords, how they connect, and its catalogues (large sets of notes with the same structure): "What is this vault about?"',
  group: 'tools.insight',
  names: { scope: 'place', community: 'place' },
  input: () => ({
    scope: z.string().optional().describe('Only this folder.'),
    community: z.string().optional().describe('Split this community: "c4".'),
    level: z.int().min(1).max(2).default(1).describe('2: smaller communities.'),
    max_tokens: maxTokens(),
  }),
  showsOnMap: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMap },
  run: mapVault,
})

export const gapsTool = defineTool({
  name: 'gaps',
  title: 'Gaps',
  description:
    'Finds similar but barely linked communities, notes whose removal disconnects others, missing notes and dead ends: "Where are my notes thin?"',
  profile: 'full',
  group: 'tools.insight',
  names: { folder: 'place' },
  input: () => ({
    kind: z.enum(GAP_KINDS).optional().describe('apart: similar communities; cut: disconnects others; wanted: missing notes.'),
    folder: folder(),
    ...page(100, 20),
    max_tokens: maxTokens(),
  }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitGaps },
  run: listGaps,
})
