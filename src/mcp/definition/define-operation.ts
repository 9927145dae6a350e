import * as z from 'zod/v4'
import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { OperationRequest } from '../../app/write/operation-runner.ts'
import type { Operation } from '../../core/operations.ts'
import { once } from '../../core/waiting/once.ts'
import { NO_VIOLATIONS, type Violations, violationsOf } from '../calls/invalid-arguments.ts'
import { defineTool, type Permission, type Tool, type ToolLiteral } from './define-tool.ts'

/** A tool that asks for one operation, which may be one of several, too. */
export interface OperationLiteral<Shape extends z.ZodRawShape, Asked extends Operation>
  extends Omit<ToolLiteral<Shape>, 'check' | 'run'> {
  readonly needs: Permission
  operation(args: z.output<z.ZodObject<Shape>>): Asked
  run(core: GraphCore, request: OperationRequest<Asked>, call: Call): Promise<Answer<unknown>>
}

/** A tool whose arguments make an operation. */
export interface OperationTool extends Tool {
  /**
   * Checks the arguments of an operation at a path, with `told` violations already reported; returns the operation if
   * there are none.
   */
  read(args: unknown, at: string, told: number): { readonly violations: Violations; readonly operation?: Operation }
}

/** Makes a tool that asks for one operation. `dry_run` among its parameters means what it says. */
export function defineOperation<const Shape extends z.ZodRawShape, Asked extends Operation>(
  literal: OperationLiteral<Shape, Asked>,
): OperationTool {
  const schema = once(() => z.strictObject(literal.input()))
  const tool = defineTool({
    ...literal,
    run: (core, args, call) =>
      literal.run(core, { tool: literal.name, operation: literal.operation(args), dryRun: isDryRun(args) }, call),
  })
  return {
    ...tool,
    read(args, at, told) {
      const parsed = schema().safeParse(args)
      if (!parsed.success) return { violations: violationsOf(tool.definition(), parsed.error.issues, { args, at, told }) }
      if (!isDryRun(parsed.data)) return { violations: NO_VIOLATIONS, operation: literal.operation(parsed.data) }
      return {
        violations: { messages: [`${at}.dry_run: cannot be true for one of several, give it beside them`], candidates: [] },
      }
    },
  }
}

function isDryRun(args: object): boolean {
  return 'dry_run' in args && args.dry_run === true
}

/** The same without members that are `undefined`, which ports leave out. */
export function defined<T extends object>(object: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}
