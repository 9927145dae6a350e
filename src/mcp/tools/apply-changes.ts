import * as z from 'zod/v4'
import { applyChanges } from '../../app/write/apply-changes.ts'
import type { SingleWrite } from '../../app/write/single-write.ts'
import type { Violations } from '../calls/invalid-arguments.ts'
import { MOST_ITEMS } from '../calls/list-bounds.ts'
import { toolDisabled } from '../calls/tool-disabled.ts'
import { defineTool, type SwitchedOffBy } from '../definition/define-tool.ts'
import { CHANGES } from './annotations.ts'
import { OPERATION_TOOLS } from './operation-tools.ts'
import { dryRun } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

interface GivenOperation {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

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
    return join(readAll(operations).map(({ violations }) => violations))
  },
  run: (core, { operations = [], dry_run, plan_id }, call) => {
    const asked = readAll(operations).flatMap(({ tool, operation }): readonly Pick<SingleWrite, 'tool' | 'operation'>[] =>
      operation === undefined ? [] : [{ tool, operation }],
    )
    return applyChanges(core, { operations: asked, dryRun: dry_run, planId: plan_id }, call)
  },
})

function requireOn(operations: readonly GivenOperation[], switchedOffBy: SwitchedOffBy): void {
  const used = new Set(operations.map(({ tool }) => tool))
  for (const tool of OPERATION_TOOLS.filter(({ name }) => used.has(name))) {
    const setting = switchedOffBy(tool)
    if (setting !== undefined) throw toolDisabled(tool.name, setting)
  }
}

function readAll(operations: readonly GivenOperation[]) {
  let told = 0
  return operations.flatMap(({ tool: name, arguments: args }, at) => {
    const tool = OPERATION_TOOLS.find((one) => one.name === name)
    if (tool === undefined) return []
    const read = tool.read(args, `operations[${at}].arguments`, told)
    told += read.violations.messages.length
    return [{ tool: name, ...read }]
  })
}

function join(all: readonly Violations[]): Violations {
  return {
    messages: all.flatMap(({ messages }) => messages),
    candidates: [...new Set(all.flatMap(({ candidates }) => candidates))],
  }
}
