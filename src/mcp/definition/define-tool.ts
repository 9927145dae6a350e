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

/** Hints for clients, sent with the list of tools. */
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
 * How an answer's value becomes an object: a list is put into `results`, and a node (or `null`) into `node`. Any other value is
 * already an object, except `null`, which is put into `result`.
 */
export type Wrap = 'results' | 'node' | 'object'

/** A setting that must be enabled for a tool to be offered. */
export type Permission = 'tools.write' | 'tools.attach'

/** Members that a client without permission to read notes may still see, because they describe a change or an attachment. */
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

/** Name of the full search if connectors have a `search` of their own. */
export const SEARCH_NOTES = 'search_notes'

/** Properties of a tool that are known without loading its schema. */
export interface ToolIdentity {
  readonly name: string
  /** Name of the tool whose setting also switches this tool. Omitted if the tool has its own setting. */
  readonly standsFor?: string
  /** Omitted for tools that are enabled by default. */
  readonly needs?: Permission
  readonly group?: ToolGroup
  /** The only profile that offers the tool to assistants. Omitted if every profile does. */
  readonly profile?: 'full'
  readonly byMeaning?: true
  /** Set if the tool calls a chat model, which is slow and may be on another computer. */
  readonly byModel?: true
}

/** A tool's properties for preparing calls and formatting answers. */
export interface ToolFacts extends ToolIdentity {
  readonly annotations: ToolAnnotations
  /** Parameters that name notes, folders or vaults, if any. */
  readonly names?: Names
  /** Names of members, at any depth, that a client without permission to read notes may see. Defaults to `UNREDACTED`. */
  readonly unredacted?: ReadonlySet<string>
  /** The search indexes that the answer needs, if any. */
  searchReadiness?(args: Arguments): SearchReadiness | undefined
  readonly wrap: Wrap
  /** Set if the tool's answer can be shown on the map by clients that support pages. */
  readonly isPictured?: true
  /**
   * Set for connector tools. Returns the complete structured result, which is also sent as JSON text. Connector tools have no
   * `vault` parameter, and nothing is appended to their results.
   */
  present?(value: unknown): Readonly<Record<string, unknown>>
}

/** Why a tool is disabled: the name of the setting, or a hint if there is another reason. */
export type OffSwitch = string | { readonly hint: string }

/** Returns why a tool is disabled, or `undefined` if it is enabled. */
export type SwitchedOffBy = (tool: ToolIdentity) => OffSwitch | undefined

/** A tool call, and a check for which other tools the caller may use. */
export interface ToolCall extends Call {
  readonly switchedOffBy: SwitchedOffBy
}

/** A tool as a single literal, from which lists, validation, help and snapshots are derived. */
export interface ToolLiteral<Shape extends z.ZodRawShape, Value = unknown>
  extends Omit<ToolFacts, 'annotations' | 'wrap' | 'present'> {
  /** Defaults to read-only. */
  readonly annotations?: ToolAnnotations
  /** Defaults to `object`. */
  readonly wrap?: Wrap
  readonly title: string
  readonly description: string
  /** Returns the schema. Called on first use, because building schemas takes time and many processes only answer `initialize`. */
  input(): Shape
  /** For small answers with a fixed shape only, because models read this schema with every list of tools. */
  readonly output?: OutputSchema
  /** Budget of the tool's answer. Unlimited by default. */
  readonly budget?: Budgeted<NoInfer<Value>>
  present?(value: NoInfer<Value>): Readonly<Record<string, unknown>>
  /** Selects which of several vaults the tool queries. Defaults to a single vault. */
  readonly reach?: Reach<z.output<z.ZodObject<Shape>>, Value>
  /**
   * Makes the checks that a schema cannot express.
   * @throws RouxError if the arguments name a disabled tool
   */
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
   * Validates arguments and returns a function that runs the tool with them.
   * @throws RouxError `INVALID_PARAMS` that lists every violation; `TOOL_DISABLED` if the arguments name a disabled tool
   */
  prepare(args: unknown, switchedOffBy?: SwitchedOffBy): (core: GraphCore, call: Call) => Promise<Answer<unknown>>
}

/** Checks the type of a literal from which several tools are made. */
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

/** Returns the tool's reach, with a `merge` that parses the caller's arguments and returns the requested page. */
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
