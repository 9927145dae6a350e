import type { SingleWrite } from '../../app/write/single-write.ts'
import type { Violations } from '../calls/invalid-arguments.ts'
import { toolDisabled } from '../calls/tool-disabled.ts'
import type { SwitchedOffBy } from '../definition/define-tool.ts'
import { OPERATION_TOOLS } from './operation-tools.ts'

/** An operation as the arguments of a tool that takes several give it. */
export interface GivenOperation {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Violations in the arguments of operations. */
export function violationsIn(operations: readonly GivenOperation[]): Violations {
  return join(readAll(operations).map(({ violations }) => violations))
}

/** The valid operations. */
export function operationsOf(operations: readonly GivenOperation[]): readonly Pick<SingleWrite, 'tool' | 'operation'>[] {
  return readAll(operations).flatMap(({ tool, operation }) => (operation === undefined ? [] : [{ tool, operation }]))
}

/** @throws RouxError `TOOL_DISABLED` where a tool of these is off */
export function requireOn(operations: readonly GivenOperation[], switchedOffBy: SwitchedOffBy): void {
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
