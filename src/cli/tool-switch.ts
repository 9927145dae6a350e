import type { Settings } from '../config/settings.ts'

/** The setting that has a tool switched off. */
export interface ToolSwitch {
  readonly setting: string
  /** What it must be for the tool to be offered. */
  readonly on: string
}

/** What a tool is switched off by; `undefined` when it is on. Without an embedder there is nothing by which notes resemble each other. */
export function switchOff(tool: string, { tools, embedder }: Settings): ToolSwitch | undefined {
  if (tools[tool] === false) return { setting: `tools.${tool}`, on: 'true' }
  if (embedder.kind === 'none' && BY_MEANING.has(tool)) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

const BY_MEANING: ReadonlySet<string> = new Set(['search', 'similar_nodes'])
