import { text } from 'node:stream/consumers'
import { isRecord } from '../../core/is-record.ts'
import type { Invocation } from '../session.ts'
import { UsageError } from '../usage-error.ts'
import { requireTool, runTool } from './tool-command.ts'

/** Calls a tool with arguments as JSON: on the command line, or from stdin for `-`. */
export async function run(invocation: Invocation): Promise<number> {
  const [name, json = '{}'] = invocation.positionals
  if (name === undefined) throw new UsageError('Which tool?', 'Write: roux call <tool> [json|-]')
  const tool = await requireTool(invocation.host, name)
  return runTool(invocation, tool, parse(json === '-' ? await text(invocation.host.stdin) : json))
}

function parse(json: string): Readonly<Record<string, unknown>> {
  let args: unknown
  try {
    args = JSON.parse(json)
  } catch (error) {
    throw new UsageError(
      `The arguments are not JSON: ${(error as Error).message}.`,
      `For example: roux call get_hubs '{"limit": 5}'`,
    )
  }
  if (isRecord(args)) return args
  throw new UsageError('The arguments are no JSON object.', `For example: roux call get_hubs '{"limit": 5}'`)
}
