import * as z from 'zod/v4'
import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { Budgeted } from '../../app/answer/budget.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { OperationRequest } from '../../app/write/operation-runner.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import type { Operation } from '../../core/operations.ts'
import { once } from '../../core/waiting.ts'
import { invalidArguments, NO_VIOLATIONS, type Violations, violationsOf } from '../calls/invalid-arguments.ts'
import { withPaths } from '../calls/note-paths.ts'
import { mergedPage, ONE_VAULT, type Reach, type VaultAnswer, type VaultReach } from '../calls/reach.ts'
import type { Arguments, Names } from '../calls/vault-arguments.ts'
import { briefSchema, type InputSchema, inputSchema, type OutputSchema } from './schemas.ts'

export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/**
 * How a value becomes an object. A list becomes the member `results`, and a node (or `null`) the member `node`. Any other value
 * is already an object, except `null`, which becomes the member `result`.
 */
export type Wrap = 'results' | 'node' | 'object'

export type Permission = 'tools.write' | 'tools.attach'

/** The members that describe a change or an attachment, for clients that may not read notes. */
export const UNREDACTED: Readonly<Record<Permission, ReadonlySet<string>>> = {
  'tools.write': new Set([
    ...['node', 'id', 'ids', 'old_id', 'new_id', 'hash', 'deleted'],
    ...['change_id', 'plan_id', 'undone', 'undoes', 'time', 'state'],
  ]),
  'tools.attach': new Set([
    ...['attachments', 'total', 'id', 'filename', 'mime_type', 'size', 'created', 'modified', 'content', 'next_offset'],
    ...['deleted', 'change_id', 'plan_id'],
  ]),
}

export type ToolGroup = 'tools.insight'

/** The name of the full search if connectors have a `search` of their own. */
export const SEARCH_NOTES = 'search_notes'

/** The facts about a tool that are available before its schema is loaded. */
export interface ToolIdentity {
  readonly name: string
  /** The name of the tool whose setting also controls this tool. A tool with its own setting omits this member. */
  readonly settingFrom?: string
  /** The permission that the tool needs. Tools that are enabled by default omit this member. */
  readonly needs?: Permission
  readonly group?: ToolGroup
  /** The only profile that offers the tool. If omitted, all profiles do. */
  readonly profile?: 'full'
  readonly needsEmbedder?: true
  /** True for tools that call a chat model, which is slow and may be remote. */
  readonly needsChatModel?: true
}

export interface ToolFacts extends ToolIdentity {
  readonly annotations: ToolAnnotations
  readonly names?: Names
  /** The members, at any depth, that a client may see without reading notes. The default is `UNREDACTED`. */
  readonly unredacted?: ReadonlySet<string>
  searchReadiness?(args: Arguments): SearchReadiness | undefined
  readonly wrap: Wrap
  /** True if clients that support pages can show the answer on the map. */
  readonly showsOnMap?: true
  /**
   * Returns the complete structured result of a connector tool. These tools have no parameter `vault`, and nothing is appended to
   * their results.
   */
  present?(value: unknown): Readonly<Record<string, unknown>>
}

/** The name of the setting that disables a tool, or a hint. */
export type OffSwitch = string | { readonly hint: string }

export type SwitchedOffBy = (tool: ToolIdentity) => OffSwitch | undefined

export interface ToolCall extends Call {
  readonly switchedOffBy: SwitchedOffBy
}

/** The definition of a tool, from which lists, validation, help and snapshots are derived. */
export interface ToolLiteral<Shape extends z.ZodRawShape, Value = unknown>
  extends Omit<ToolFacts, 'annotations' | 'wrap' | 'present'> {
  /** Hints for clients. By default, a tool only reads. */
  readonly annotations?: ToolAnnotations
  /** How the result is wrapped. The default is `object`. */
  readonly wrap?: Wrap
  readonly title: string
  readonly description: string
  /**
   * Returns the parameters. The function is called on first use, because building schemas is slow and many processes only answer
   * `initialize`.
   */
  input(): Shape
  /**
   * The schema of a small answer with a fixed shape. Larger answers have none, because models read the schema with every list of
   * tools.
   */
  readonly output?: OutputSchema
  /** How the answer fits into a token budget. By default, it is unlimited. */
  readonly budget?: Budgeted<NoInfer<Value>>
  present?(value: NoInfer<Value>): Readonly<Record<string, unknown>>
  /** The vaults that a call queries. The default is a single vault. */
  readonly reach?: Reach<z.output<z.ZodObject<Shape>>, Value>
  /** Makes checks that a schema cannot express. @throws RouxError if the arguments name a disabled tool */
  check?(args: z.output<z.ZodObject<Shape>>, switchedOffBy: SwitchedOffBy): Violations
  run(core: GraphCore, args: z.output<z.ZodObject<Shape>>, call: ToolCall): Promise<Answer<Value>>
}

export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly outputSchema?: OutputSchema
  readonly annotations: ToolAnnotations
}

export interface Tool extends ToolFacts {
  readonly reach: VaultReach
  readonly budget?: Budgeted
  definition(): ToolDefinition
  /**
   * Validates arguments.
   * @throws RouxError `INVALID_PARAMS` that lists all violations; `TOOL_DISABLED` if the arguments name a disabled tool
   */
  prepare(args: unknown, switchedOffBy?: SwitchedOffBy): (core: GraphCore, call: Call) => Promise<Answer<unknown>>
}

/** Returns its argument. The function exists to check the type of a literal. */
export function toolLiteral<const Shape extends z.ZodRawShape, Value>(
  literal: ToolLiteral<Shape, Value>,
): ToolLiteral<Shape, Value> {
  return literal
}

export function defineTool<const Shape extends z.ZodRawShape, Value>(literal: ToolLiteral<Shape, Value>): Tool {
  const {
    title,
    description,
    output,
    input,
    reach,
    budget,
    check,
    run,
    present,
    annotations = READS,
    wrap = 'object',
    ...facts
  } = literal
  const { name } = facts
  const schema = once(() => z.strictObject(input()))
  const checked = once(() => ({ name, inputSchema: inputSchema(schema()) }))
  const definition = once(() => ({
    name,
    title,
    description,
    inputSchema: briefSchema(checked().inputSchema),
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations,
  }))
  return {
    ...facts,
    annotations,
    wrap,
    ...(budget === undefined ? undefined : { budget: budget as Budgeted }),
    ...(present === undefined ? undefined : { present: present as NonNullable<Tool['present']> }),
    reach: reachOf(reach, schema),
    definition,
    prepare(args, switchedOffBy = () => undefined) {
      const parsed = schema().safeParse(args ?? {})
      if (!parsed.success) throw invalidArguments(checked(), violationsOf(checked(), parsed.error.issues, { args }))
      const wrong = check?.(parsed.data, switchedOffBy)
      if (wrong !== undefined && wrong.messages.length > 0) throw invalidArguments(checked(), wrong)
      return async (core, call) => {
        const answer = await run(core, parsed.data, { ...call, switchedOffBy })
        return annotations.readOnlyHint ? await withPaths(answer, core, call.signal) : answer
      }
    },
  }
}

/** Returns the reach of a tool. `merge` parses the caller's arguments and returns the requested page. */
function reachOf<Shape extends z.ZodRawShape, Value>(
  reach: ToolLiteral<Shape, Value>['reach'] = ONE_VAULT,
  schema: () => z.ZodObject<Shape>,
): VaultReach {
  if (reach.kind === 'one') return reach
  return {
    kind: reach.kind,
    merge(given, args) {
      const answers = given as readonly VaultAnswer<Value>[]
      const counting = reach.counting?.(answers) ?? answers
      const parsed = schema().parse(args)
      return mergedPage(reach.merge(counting, parsed), counting, parsed)
    },
  }
}

/** The definition of an operation, which `apply_changes` can combine with others. `dry_run` is added to the parameters. */
export interface OperationLiteral<Shape extends z.ZodRawShape, Asked extends Operation>
  extends Omit<ToolLiteral<Shape>, 'annotations' | 'check' | 'run'> {
  readonly annotations: ToolAnnotations
  operation(args: z.output<z.ZodObject<Shape>>): Asked
  run(core: GraphCore, request: OperationRequest<Asked>, call: Call): Promise<Answer<unknown>>
}

export interface OperationTool extends Tool {
  /**
   * @param at position of the arguments
   * @param reported number of violations in earlier operations
   * @returns the operation only if there are no violations
   */
  read(args: unknown, at: string, reported: number): { readonly violations: Violations; readonly operation?: Operation }
}

export function dryRun() {
  return z.boolean().default(false).describe('Only show diff and plan_id.')
}

/** Defines a tool for an operation. It needs `tools.write` unless the literal specifies otherwise. */
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

/** Removes undefined members, which `exactOptionalPropertyTypes` forbids. */
export function defined<T extends object>(object: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}
