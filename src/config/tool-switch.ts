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
}

/** What a tool is switched off by; `undefined` when it is on. Without an embedder there is nothing by which notes resemble each other. */
export function switchOff({ name, needs }: SwitchedTool, { tools, embedder }: Settings): ToolSwitch | undefined {
  if (tools[name] === false) return { setting: `tools.${name}`, on: 'true' }
  if (needs !== undefined && !isPermitted(needs, tools)) return { setting: needs, on: 'true' }
  if (embedder.kind === 'none' && BY_MEANING.has(name)) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

function isPermitted(needs: NonNullable<SwitchedTool['needs']>, tools: Settings['tools']): boolean {
  return (needs === 'tools.write' ? tools.write : tools.attach) === true
}

const BY_MEANING: ReadonlySet<string> = new Set(['search', 'similar_nodes'])
