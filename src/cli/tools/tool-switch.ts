import type { Settings } from '../../config/settings.ts'
import { switchOff } from '../../config/tool-switch.ts'
import { RouxError } from '../../core/errors.ts'
import type { Tool, ToolIdentity } from '../../mcp/definition/define-tool.ts'

/** Whether a tool is offered only to those who may write, because it changes something. What only reads harms no one who sits at the shell. */
export function needsWrite({ needs, annotations }: Tool): boolean {
  return needs !== undefined && !annotations.readOnlyHint
}

/** The settings with which a command runs a tool: what it needs in order to read is on. */
export function settingsFor(tool: Tool, settings: Settings): Settings {
  if (tool.needs === undefined || needsWrite(tool)) return settings
  return { ...settings, tools: { ...settings.tools, write: true, attach: true } }
}

/** @throws RouxError `TOOL_DISABLED` that says what turns the tool on */
export function requireOn(tool: ToolIdentity, settings: Settings): void {
  const off = switchOff(tool, settings)
  if (off === undefined) return
  const once = off.setting === tool.needs ? 'Add --write to allow it this once. ' : ''
  throw new RouxError('TOOL_DISABLED', `The tool ${tool.name} is switched off.`, {
    hint: `${once}The setting ${off.setting}: ${off.on} turns it on.`,
  })
}
