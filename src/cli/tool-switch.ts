import type { Settings } from '../config/settings.ts'
import { RouxError } from '../core/errors.ts'
import type { Tool, ToolIdentity } from '../mcp/define-tool.ts'

/** The setting that has a tool switched off. */
export interface ToolSwitch {
  readonly setting: string
  /** What it must be for the tool to be offered. */
  readonly on: string
}

/** What a tool is switched off by; `undefined` when it is on. Without an embedder there is nothing by which notes resemble each other. */
export function switchOff({ name, needs }: ToolIdentity, { tools, embedder }: Settings): ToolSwitch | undefined {
  if (tools[name] === false) return { setting: `tools.${name}`, on: 'true' }
  if (needs !== undefined && !isPermitted(needs, tools)) return { setting: needs, on: 'true' }
  if (embedder.kind === 'none' && BY_MEANING.has(name)) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

/** Whether a tool is offered only to those who may write, because it changes something. What only reads harms nobody who sits at the shell. */
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

function isPermitted(needs: NonNullable<ToolIdentity['needs']>, tools: Settings['tools']): boolean {
  return (needs === 'tools.write' ? tools.write : tools.attach) === true
}

const BY_MEANING: ReadonlySet<string> = new Set(['search', 'similar_nodes'])
