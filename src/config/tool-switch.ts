import type { Settings } from './settings.ts'

/** The setting that has a tool switched off. */
export interface ToolSwitch {
  readonly setting: string
  /** The value with which the tool is offered. */
  readonly on: string
}

/** The facts about a tool that decide whether settings switch it off. */
export interface SwitchedTool {
  readonly name: string
  readonly needs?: 'tools.write' | 'tools.attach'
  /** Switched off by a setting together with others. */
  readonly group?: 'tools.insight'
  /** True if it needs an embedder. */
  readonly byMeaning?: true
  /** True if it calls a chat model. */
  readonly byModel?: true
}

/** The setting that switches a tool off; `undefined` if it is on. */
export function switchOff(
  { name, needs, group, byMeaning, byModel }: SwitchedTool,
  { tools, embedder, ai }: Settings,
): ToolSwitch | undefined {
  if (tools[name] === false) return { setting: `tools.${name}`, on: 'true' }
  if (group !== undefined && tools.insight === false) return { setting: group, on: 'true' }
  if (needs !== undefined && !isPermitted(needs, tools)) return { setting: needs, on: 'true' }
  if (byModel && !ai.enabled) return { setting: 'ai.enabled', on: 'true' }
  if (embedder.kind === 'none' && byMeaning) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

function isPermitted(needs: NonNullable<SwitchedTool['needs']>, tools: Settings['tools']): boolean {
  return (needs === 'tools.write' ? tools.write : tools.attach) === true
}
