import type { Settings } from './settings.ts'

/** The setting that has a tool switched off. */
export interface ToolSwitch {
  readonly setting: string
  /** What it must be for the tool to be offered. */
  readonly on: string
}

/** What of a tool settings are asked for. */
export interface SwitchedTool {
  readonly name: string
  readonly needs?: 'tools.write' | 'tools.attach'
  /** Switched off by a setting together with others. */
  readonly group?: 'tools.insight'
  /** Whether there is nothing to answer without an embedder. */
  readonly byMeaning?: true
  /** Whether it asks a chat model. */
  readonly byModel?: true
}

/** What a tool is switched off by; `undefined` when it is on. */
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
