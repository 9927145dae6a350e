import * as z from 'zod/v4'
import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { Budgeted } from '../../app/answer/budget.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import { once } from '../../core/waiting/once.ts'
import { invalidArguments, type Violations, violationsOf } from '../calls/invalid-arguments.ts'
import { mergedPage, ONE_VAULT, type Reach, type VaultAnswer, type VaultReach } from '../calls/reach.ts'
import type { Arguments, Names } from '../calls/vault-arguments.ts'
import { type InputSchema, inputSchema, type OutputSchema } from './schemas.ts'

/** Hints for clients, available without a call. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Annotations of a tool that only reads. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/**
 * How a value goes under an object root: lists as `results`, a node or its absence as `node`, any other object as it is
 * (and its absence as `result`).
 */
export type Wrap = 'results' | 'node' | 'object'

/** A setting that must be on for a tool to be offered at all. */
export type Permission = 'tools.write' | 'tools.attach'

/** Members of answers that a client without read permission may see: those about a change or an attachment itself, not about notes. */
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

/** A setting that switches several tools off together. */
export type ToolGroup = 'tools.insight'

/** Facts about a tool that need no schema. */
export interface ToolIdentity {
  readonly name: string
  /** Absent of tools that are offered unless they are switched off. */
  readonly needs?: Permission
  readonly group?: ToolGroup
  /** True if it needs an embedder. */
  readonly byMeaning?: true
  /** True if it calls a chat model, which is slow and may be on another computer. */
  readonly byModel?: true
}

/** Further facts for preparing calls and rendering answers. */
export interface ToolFacts extends ToolIdentity {
  readonly annotations: ToolAnnotations
  /** Its parameters that name something; absent: none does. */
  readonly names?: Names
  /** Names of members, at any depth, that a client without read permission may see; absent: those of `UNREDACTED`. */
  readonly unredacted?: ReadonlySet<string>
  /** The search indexes the answer needs; absent: none. */
  searchReadiness?(args: Arguments): SearchReadiness | undefined
  readonly wrap: Wrap
  /** Its answer can be seen on the map, by clients that show pages beside answers. */
  readonly isPictured?: true
}

/** Why a tool is off: a setting, or another reason with advice. */
export type OffSwitch = string | { readonly hint: string }

/** The setting that has a tool switched off, or what else has; `undefined` of one that is on. */
export type SwitchedOffBy = (tool: ToolIdentity) => OffSwitch | undefined

/** A call that knows what else its caller may call. */
export interface ToolCall extends Call {
  readonly switchedOffBy: SwitchedOffBy
}

/** A tool as one literal: lists, checks, help and snapshots are derived from it. */
export interface ToolLiteral<Shape extends z.ZodRawShape, Value = unknown> extends Omit<ToolFacts, 'annotations' | 'wrap'> {
  /** Absent: it only reads. */
  readonly annotations?: ToolAnnotations
  /** Absent: an object. */
  readonly wrap?: Wrap
  readonly title: string
  readonly description: string
  /** Made when first needed: schemas cost time, and a process that only answers `initialize` needs none. */
  input(): Shape
  /** For answers with a fixed, small shape; every model reads it with the list. */
  readonly output?: OutputSchema
  /** The budget of its answer; absent: unlimited. */
  readonly budget?: Budgeted<NoInfer<Value>>
  /** Which of several vaults it asks; absent: one. */
  readonly reach?: Reach<z.output<z.ZodObject<Shape>>, Value>
  /** Checks beyond the schema. @throws RouxError when a tool named in the arguments is off */
  check?(args: z.output<z.ZodObject<Shape>>, switchedOffBy: SwitchedOffBy): Violations
  run(core: GraphCore, args: z.output<z.ZodObject<Shape>>, call: ToolCall): Promise<Answer<Value>>
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly outputSchema?: OutputSchema
  readonly annotations: ToolAnnotations
}

/** A tool that can be listed and called. */
export interface Tool extends ToolFacts {
  readonly reach: VaultReach
  readonly budget?: Budgeted
  definition(): ToolDefinition
  /**
   * Checks arguments and gives what runs with them.
   * @throws RouxError `INVALID_PARAMS` that names every violation; `TOOL_DISABLED` where the arguments name a tool that is off.
   */
  prepare(args: unknown, switchedOffBy?: SwitchedOffBy): (core: GraphCore, call: Call) => Promise<Answer<unknown>>
}

/** Makes a tool of its literal. */
export function defineTool<const Shape extends z.ZodRawShape, Value>(literal: ToolLiteral<Shape, Value>): Tool {
  const { title, description, output, input, reach, budget, check, run, annotations = READS, wrap = 'object', ...facts } = literal
  const { name } = facts
  const schema = once(() => z.strictObject(input()))
  const definition = once(() => ({
    name,
    title,
    description,
    inputSchema: inputSchema(schema()),
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations,
  }))
  return {
    ...facts,
    annotations,
    wrap,
    ...(budget === undefined ? undefined : { budget: budget as Budgeted }),
    reach: reachOf(reach, schema),
    definition,
    prepare(args, switchedOffBy = () => undefined) {
      const parsed = schema().safeParse(args ?? {})
      if (!parsed.success) throw invalidArguments(definition(), violationsOf(definition(), parsed.error.issues, { args }))
      const wrong = check?.(parsed.data, switchedOffBy)
      if (wrong !== undefined && wrong.messages.length > 0) throw invalidArguments(definition(), wrong)
      return (core, call) => run(core, parsed.data, { ...call, switchedOffBy })
    },
  }
}

/** How the tool reaches several vaults, in terms of the arguments as a caller gives them, which were found right. */
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
