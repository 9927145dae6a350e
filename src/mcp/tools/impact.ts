import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitImpact, type Intent, impact } from '../../app/insight/impact.ts'
import { MOST_ITEMS } from '../calls/list-bounds.ts'
import { defineTool, READS, type SwitchedOffBy } from '../definition/define-tool.ts'
import { type GivenOperation, operationsOf, violationsIn } from './given-operations.ts'
import { OPERATION_TOOLS } from './operation-tools.ts'
import { maxTokens } from './parameters.ts'

export const impactTool = defineTool({
  name: 'impact',
  title: 'What a change would break',
  description:
    'What deleting a note or folder, or operations, would do to the links, without doing it: broken links, orphans, parts that fall apart.',
  annotations: READS,
  group: 'tools.insight',
  names: { id: 'note', folder: 'place', operations: (tool) => OPERATION_TOOLS.find(({ name }) => name === tool)?.names },
  input: () => ({
    id: z.string().optional().describe('Delete this.'),
    folder: z.string().optional().describe('Delete all in it.'),
    operations: z
      .array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }))
      .min(1)
      .max(MOST_ITEMS)
      .optional()
      .describe('As for apply_changes.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitImpact },
  check: ({ id, folder, operations }) => {
    const given = [id, folder, operations].filter((one) => one !== undefined)
    if (given.length !== 1) return { messages: ['id, folder, operations: expected one of them'], candidates: [] }
    const unknown = (operations ?? []).flatMap(({ tool }, at) =>
      isOperation(tool) ? [] : [`operations[${at}].tool: no tool that writes`],
    )
    return unknown.length > 0 ? { messages: unknown, candidates: [] } : violationsIn(operations ?? [])
  },
  run: (core, args, call) =>
    impact(core, { intent: intentOf(args), mayApply: mayApply(args.operations ?? [DELETING], call.switchedOffBy) }, call),
})

function isOperation(tool: string): boolean {
  return OPERATION_TOOLS.some(({ name }) => name === tool)
}

interface Given {
  readonly id?: string | undefined
  readonly folder?: string | undefined
  readonly operations?: readonly GivenOperation[] | undefined
}

function intentOf({ id, folder, operations }: Given): Intent {
  if (operations !== undefined)
    return { kind: 'operations', operations: operationsOf(operations).map(({ operation }) => operation) }
  return folder === undefined ? { kind: 'id', id: id ?? '' } : { kind: 'folder', folder }
}

const DELETING: GivenOperation = { tool: 'delete_node', arguments: {} }
const APPLYING = { name: 'apply_changes', needs: 'tools.write' } as const

/** A plan is for who may carry it out. */
function mayApply(operations: readonly GivenOperation[], switchedOffBy: SwitchedOffBy): boolean {
  const used = OPERATION_TOOLS.filter(({ name }) => operations.some(({ tool }) => tool === name))
  return [APPLYING, ...used].every((tool) => switchedOffBy(tool) === undefined)
}
