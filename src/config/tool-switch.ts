import type { Settings } from './settings.ts'

export interface ToolSwitch {
  readonly setting: string
  readonly on: string
}

/** Properties of a tool that determine whether settings disable it. */
export interface SwitchedTool {
  readonly name: string
  /** Name of another tool whose setting also controls this tool. */
  readonly standsFor?: string
  readonly needs?: 'tools.write' | 'tools.attach'
  /** Setting that disables the tool together with related tools. */
  readonly group?: 'tools.insight'
  /** The only profile that offers the tool. Omitted if every profile does. */
  readonly profile?: 'full'
  readonly byMeaning?: true
  readonly byModel?: true
}

/** Returns the setting that disables a tool, or `undefined` if the tool is enabled. */
export function switchOff(
  { name, standsFor = name, needs, group, byMeaning, byModel }: SwitchedTool,
  { tools, embedder, ai }: Settings,
): ToolSwitch | undefined {
  if (tools[standsFor] === false) return { setting: `tools.${standsFor}`, on: 'true' }
  if (group !== undefined && tools.insight === false) return { setting: group, on: 'true' }
  if (needs !== undefined && (needs === 'tools.write' ? tools.write : tools.attach) !== true)
    return { setting: needs, on: 'true' }
  if (byModel && !ai.enabled) return { setting: 'ai.enabled', on: 'true' }
  if (embedder.kind === 'none' && byMeaning) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

/** Like `switchOff`, but for assistants, which are only offered the tools in the profile. */
export function switchOffForAssistants(tool: SwitchedTool, settings: Settings): ToolSwitch | undefined {
  const { name, profile } = tool
  const isOutside = profile !== undefined && settings.tools.profile !== profile && settings.tools[name] !== true
  return isOutside ? { setting: `tools.${name}`, on: 'true' } : switchOff(tool, settings)
}
