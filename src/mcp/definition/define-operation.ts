import * as z from 'zod/v4'
import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { OperationRequest } from '../../app/write/operation-runner.ts'
import type { Operation } from '../../core/operations.ts'
import { once } from '../../core/waiting/once.ts'
import { NO_VIOLATIONS, type Violations, violationsOf } from '../calls/invalid-arguments.ts'
import { defineTool, type Tool, type ToolAnnotations, type ToolLiteral } from './define-tool.ts'
import { inputSchema } from './schemas.ts'

/**
 * A tool that requests a single operation. `apply_changes` can combine the same operation with others. `dry_run` is added to the
 * parameters.
 */
export interface OperationLiteral<Shape extends z.ZodRawShape, Asked extends Operation>
  extends Omit<ToolLiteral<Shape>, 'annotations' | 'check' | 'run'> {
  readonly annotations: ToolAnnotations
  operation(args: z.output<z.ZodObject<Shape>>): Asked
  run(core: GraphCore, request: OperationRequest<Asked>, call: Call): Promise<Answer<unknown>>
}

export interface OperationTool extends Tool {
  /**
   * Validates an operation's arguments. Returns the operation if there are no violations. `at` is the position of the arguments,
   * and `reported` the number of violations found before.
   */
  read(args: unknown, at: string, reported: number): { readonly violations: Violations; readonly operation?: Operation }
}

export function dryRun() {
  return z.boolean().default(false).describe('Only show diff and plan_id.')
}

/** Defines a tool that requests one operation. It needs `tools.write` unless the literal specifies otherwise. */
export function defineOperation<const Shape extends z.ZodRawShape, Asked extends Operation>(
  literal: OperationLiteral<Shape, Asked>,
): OperationTool {
  const input = () => ({ ...literal.input(), dry_run: dryRun() })
  const schema = once(() => z.strictObject(input()))
  const checked = once(() => ({ name: literal.name, inputSchema: inputSchema(schema()) }))
  const read = (args: object) => {
    const { dry_run, ...own } = args as { readonly dry_run: boolean }
    return { dryRun: dry_run, operation: literal.operation(own as z.output<z.ZodObject<Shape>>) }
  }
  const tool = defineTool({
    needs: 'tools.write',
    ...literal,
    input,
    run: (core, args, call) => literal.run(core, { tool: literal.name, ...read(args) }, call),
  })
  return {
    ...tool,
    read(args, at, problemCount) {
      const parsed = schema().safeParse(args)
      if (!parsed.success)
        return { violations: violationsOf(checked(), parsed.error.issues, { args, at, reported: problemCount }) }
      const { dryRun, operation } = read(parsed.data)
      if (!dryRun) return { violations: NO_VIOLATIONS, operation }
      return {
        violations: { messages: [`${at}.dry_run: must be set for the whole call, not for one operation`], candidates: [] },
      }
    },
  }
}

/** Removes members that are `undefined`, because ports expect them to be absent. */
export function defined<T extends object>(object: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}
