import type { LoadedVaults } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { switchOff } from '../../config/tool-switch.ts'
import { RouxError } from '../../core/errors.ts'
import { toolDisabled } from '../../mcp/calls/tool-result.ts'
import type { SwitchedOffBy, Tool, ToolIdentity } from '../../mcp/definition/define-tool.ts'

/** True if a tool is offered only when writing is on. Reading is always allowed in the shell. */
export function needsWrite({ needs, annotations }: Tool): boolean {
  return needs !== undefined && !annotations.readOnlyHint
}

/** The settings for running a tool as a command: every tool that only reads is on. */
export function settingsFor(tool: Tool, settings: Settings): Settings {
  if (tool.needs === undefined || needsWrite(tool)) return settings
  return { ...settings, tools: { ...settings.tools, write: true, attach: true } }
}

/** Returns why a tool is off in a run over these vaults; `settings` are the current ones. */
export function switchedOffIn({ vaults, server }: LoadedVaults, settings = () => server.settings): SwitchedOffBy {
  const isStored = vaults.some(({ stored }) => stored !== undefined)
  return (tool) => (isStored && tool.needs !== undefined ? WRITTEN_ELSEWHERE : switchOff(tool, settings())?.setting)
}

const WRITTEN_ELSEWHERE = {
  hint: 'These vaults are served from a database. Attachments and writing need their folders: "roux serve <folder>".',
}

/** @throws RouxError `TOOL_DISABLED` with the setting that turns the tool on */
export function requireOn(tool: ToolIdentity, loaded: LoadedVaults): void {
  const switched = switchedOffIn(loaded)(tool)
  if (switched !== undefined && typeof switched !== 'string') throw toolDisabled(tool.name, switched)
  const off = switchOff(tool, loaded.server.settings)
  if (off === undefined) return
  const once = off.setting === tool.needs ? 'Add --write to allow it this once. ' : ''
  throw new RouxError('TOOL_DISABLED', `The tool ${tool.name} is switched off.`, {
    hint: `${once}The setting ${off.setting}: ${off.on} turns it on.`,
  })
}
