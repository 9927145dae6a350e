import { SETTINGS } from './settings-schema.ts'

type Entry = (typeof SETTINGS)[number]
type ValueOf = { readonly [E in Entry as E['key']]: E['default'] }
type SectionOf<Key> = Key extends `${infer Section}.${string}` ? Section : never
/** A key's name within its section. `*` becomes `string`. */
type NameIn<Section extends string, Key> = Key extends `${Section}.${infer Name}` ? (Name extends '*' ? string : Name) : never

type KeyIn<Section extends string> = Extract<Entry['key'], `${Section}.${string}`>

/**
 * All settings with defaults applied, as `{ vault: { mode, … }, links: { … }, … }`. See `roux.config.yaml` for their meaning.
 * Sections with arbitrary names, such as `tools`, contain only explicitly set values.
 */
export type Settings = {
  readonly [Section in SectionOf<Entry['key']>]: {
    readonly [Key in Entry['key'] as NameIn<Section, Key>]: Key extends `${Section}.*` ? ValueOf[KeyIn<Section>] : ValueOf[Key]
  }
}

/** Builds the settings from values by key and applies the defaults. */
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

/** Splits a key into section and name, for example `store.neo4j.url` into `store` and `neo4j.url`. */
export function splitKey(key: string): readonly [section: string, name: string] {
  const at = key.indexOf('.')
  return [key.slice(0, at), key.slice(at + 1)]
}

/** Returns the languages that notes and questions can be in, or an empty list for all. */
export function languagesOf({ languages }: Settings['search']): readonly string[] {
  return languages === 'auto' ? [] : languages
}

const MEGABYTE = 1_000_000

/** Returns how long a log is kept, in days, and its maximum size in bytes. */
export function retentionOf({ keep_days, keep_mb }: Pick<Settings['write'], 'keep_days' | 'keep_mb'>): {
  readonly days: number
  readonly bytes: number
} {
  return { days: keep_days, bytes: keep_mb * MEGABYTE }
}

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
