import { SETTINGS } from './settings-schema.ts'

type Entry = (typeof SETTINGS)[number]
type ValueOf = { readonly [E in Entry as E['key']]: E['default'] }
type SectionOf<Key> = Key extends `${infer Section}.${string}` ? Section : never
/** The name of a key in its section; `*` becomes any name. */
type NameIn<Section extends string, Key> = Key extends `${Section}.${infer Name}` ? (Name extends '*' ? string : Name) : never

/**
 * Every setting with its default applied, as `{ vault: { mode, … }, links: { … }, … }`; `roux.config.yaml` explains
 * them. Sections of free names (`tools`) hold only the given values.
 */
export type Settings = {
  readonly [Section in SectionOf<Entry['key']>]: {
    readonly [Key in Entry['key'] as NameIn<Section, Key>]: ValueOf[Key]
  }
}

/** The settings that these values by key make, defaults applied. */
export function toSettings(values: ReadonlyMap<string, unknown> = new Map()): Settings {
  const settings: Record<string, Record<string, unknown>> = {}
  const put = (key: string, value: unknown): void => {
    const [section, name] = splitKey(key)
    settings[section] ??= {}
    if (name !== '*') settings[section][name] = value
  }
  for (const { key, default: value } of SETTINGS) put(key, value)
  for (const [key, value] of values) put(key, value)
  return settings as unknown as Settings
}

/** `store.neo4j.url` → `store` and `neo4j.url`, as `Settings` has them. */
export function splitKey(key: string): readonly [section: string, name: string] {
  const at = key.indexOf('.')
  return [key.slice(0, at), key.slice(at + 1)]
}

const MEGABYTE = 1_000_000

/** For how many days a record of changes is kept, and the most bytes it may take. */
export function retentionOf({ keep_days, keep_mb }: Pick<Settings['write'], 'keep_days' | 'keep_mb'>): {
  readonly days: number
  readonly bytes: number
} {
  return { days: keep_days, bytes: keep_mb * MEGABYTE }
}
