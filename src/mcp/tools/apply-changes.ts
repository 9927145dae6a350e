import * as z from 'zod/v4'
import { applyChanges } from '../../app/write/apply-changes.ts'
import { MOST_ITEMS } from '../calls/list-bounds.ts'
import { defineTool } from '../definition/define-tool.ts'
import { CHANGES } from './annotations.ts'
import { operationsOf, requireOn, violationsIn } from './given-operations.ts'
import { OPERATION_TOOLS } from './operation-tools.ts'
import { dryRun } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const applyChangesTool = defineTool({
  name: 'apply_changes',
  title: 'Several changes at once',
  description:
    'Carries out operations of other write tools, one after the other, as one change: all or nothing, one undo. With dry_run it shows the diff first; plan_id then does exactly that, and fails with CONFLICT if a note changed meanwhile.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { plan_id: 'place', operations: (tool) => OPERATION_TOOLS.find(({ name }) => name === tool)?.names },
  unredacted: OF_CHANGES,
  input: () => ({
    operations: z
      .array(
        z.strictObject({
          tool: z.enum(OPERATION_TOOLS.map(({ name }) => name)).describe('Tool.'),
          arguments: z.record(z.string(), z.unknown()).describe('Its arguments.'),
        }),
      )
      .min(1)
      .max(MOST_ITEMS)
      .optional()
      .describe('What to do, in order.'),
    dry_run: dryRun(),
    plan_id: z.string().optional().describe('Instead of operations: what a dry run of any tool answered.'),
  }),
  wrap: 'object',
  check: ({ operations = [] }, switchedOffBy) => {
    requireOn(operations, switchedOffBy)
    return violationsIn(operations)
  },
  run: (core, { operations = [], dry_run, plan_id }, call) => {
    const asked = operationsOf(operations)
    return applyChanges(core, { operations: asked, dryRun: dry_run, planId: plan_id }, call)
  },
})
