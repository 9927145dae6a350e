import { SETTINGS } from './settings-schema.ts'

type Entry = (typeof SETTINGS)[number]
type ValueOf = { readonly [E in Entry as E['key']]: E['default'] }
type SectionOf<Key> = Key extends `${infer Section}.${string}` ? Section : never
type NameIn<Section extends string, Key> = Key extends `${Section}.${infer Name}` ? (Name extends '*' ? string : Name) : never

type KeyIn<Section extends string> = Extract<Entry['key'], `${Section}.${string}`>

/**
 * The settings by section, with defaults applied. Sections with arbitrary names, such as `tools`, contain only explicit values.
 */
export type Settings = {
  readonly [Section in SectionOf<Entry['key']>]: {
    readonly [Key in Entry['key'] as NameIn<Section, Key>]: Key extends `${Section}.*` ? ValueOf[KeyIn<Section>] : ValueOf[Key]
  }
}

export function toSettings(values: ReadonlyMap<string, unknown> = new Map()): Settings {
  const settings: Record<string, Record<string, unknown>> = {}
  const setAt = (key: string, value: unknown): void => {
    const [section, name] = splitKey(key)
    settings[section] ??= {}
    if (name !== '*') settings[section][name] = value
  }
  for (const { key, default: value } of SETTINGS) setAt(key, value)
  for (const [key, value] of values) setAt(key, value)
  return settings as unknown as Settings
}

/** Splits `store.neo4j.url` into `store` and `neo4j.url`. */
export function splitKey(key: string): readonly [section: string, name: string] {
  const at = key.indexOf('.')
  return [key.slice(0, at), key.slice(at + 1)]
}

/** Returns the languages, or an empty list for all languages. */
export function languagesOf({ languages }: Settings['search']): readonly string[] {
  return languages === 'auto' ? [] : languages
}

const MEGABYTE = 1_000_000

/** Returns the limits in days and bytes. */
export function retentionOf({ keep_days, keep_mb }: Pick<Settings['write'], 'keep_days' | 'keep_mb'>) {
  return { days: keep_days, bytes: keep_mb * MEGABYTE }
}

export interface ToolSwitch {
  readonly setting: string
  readonly on: string
}

export interface SwitchedTool {
  readonly name: string
  /** The name of another tool whose setting also controls this tool. */
  readonly settingFrom?: string
  readonly needs?: 'tools.write' | 'tools.attach'
  readonly group?: 'tools.insight'
  /** If omitted, every profile offers the tool. */
  readonly profile?: 'full'
  readonly needsEmbedder?: true
  readonly needsChatModel?: true
}

export function switchOff(
  { name, settingFrom = name, needs, group, needsEmbedder, needsChatModel }: SwitchedTool,
  { tools, embedder, ai }: Settings,
): ToolSwitch | undefined {
  if (tools[settingFrom] === false) return { setting: `tools.${settingFrom}`, on: 'true' }
  if (group !== undefined && tools.insight === false) return { setting: group, on: 'true' }
  if (needs !== undefined && (needs === 'tools.write' ? tools.write : tools.attach) !== true)
    return { setting: needs, on: 'true' }
  if (needsChatModel && !ai.enabled) return { setting: 'ai.enabled', on: 'true' }
  if (embedder.kind === 'none' && needsEmbedder) return { setting: 'embedder.kind', on: 'static' }
  return undefined
}

/** Works like `switchOff`, and also applies the profile. */
export function switchOffForAssistants(tool: SwitchedTool, settings: Settings): ToolSwitch | undefined {
  const { name, profile } = tool
  const isOutside = profile !== undefined && settings.tools.profile !== profile && settings.tools[name] !== true
  return isOutside ? { setting: `tools.${name}`, on: 'true' } : switchOff(tool, settings)
}
