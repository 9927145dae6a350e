import type { LoadedVaults } from '../../config/load-vaults.ts'
import { type Settings, switchOff, switchOffForAssistants } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import { toolDisabled } from '../../mcp/calls/tool-result.ts'
import type { SwitchedOffBy, Tool, ToolIdentity } from '../../mcp/definition/define-tool.ts'

export function needsWrite({ needs, annotations }: Tool): boolean {
  return needs !== undefined && !annotations.readOnlyHint
}

export function settingsFor(tool: Tool, settings: Settings): Settings {
  if (tool.needs === undefined || needsWrite(tool)) return settings
  return { ...settings, tools: { ...settings.tools, write: true, attach: true } }
}

export function switchedOffIn({ vaults, server }: LoadedVaults, settings = () => server.settings): SwitchedOffBy {
  const isStored = vaults.some(({ stored }) => stored !== undefined)
  return (tool) => (isStored && tool.needs !== undefined ? SETTINGS_ELSEWHERE : switchOff(tool, settings())?.setting)
}

/** Returns why a tool is not offered. Assistants are offered only the tools of the profile. */
export function notOfferedIn(loaded: LoadedVaults, settings: () => Settings): SwitchedOffBy {
  const switchedOffBy = switchedOffIn(loaded, settings)
  return (tool) => switchedOffBy(tool) ?? switchOffForAssistants(tool, settings())?.setting
}

const SETTINGS_ELSEWHERE = {
  hint: 'These vaults are served from a database. Attachments and writing need their folders: "roux serve <folder>".',
}

/** Checks that a tool is enabled. @throws RouxError `TOOL_DISABLED` with the setting that enables the tool */
export function requireOn(tool: ToolIdentity, loaded: LoadedVaults): void {
  const switched = switchedOffIn(loaded)(tool)
  if (switched !== undefined && typeof switched !== 'string') throw toolDisabled(tool.name, switched)
  const off = switchOff(tool, loaded.server.settings)
  if (off === undefined) return
  const once = off.setting === tool.needs ? 'Add --write to allow it this once. ' : ''
  throw new RouxError('TOOL_DISABLED', `The tool ${tool.name} is switched off.`, {
    hint: `${once}Set ${off.setting} to ${off.on} to turn it on.`,
  })
}
