import type { LoadedSettings } from '../../config/load.ts'
import { type Settings, splitKey } from '../../config/settings.ts'
import { findSetting } from '../../config/settings-schema.ts'
import type { ServerFacts } from '../../mcp/server-options.ts'

/** Setting types whose values cannot reveal paths, addresses or secrets. */
const HARMLESS: readonly string[] = ['flag', 'choice', 'integer', 'number']

/**
 * Returns the settings that clients may see. These are the changed settings, except for text values, which might contain paths,
 * addresses or secrets.
 */
export function serverFacts({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): Omit<ServerFacts, 'version'> {
  // Answers must not depend on whether the server is shared.
  const changedKeys = [...origins.keys()].filter(
    (key) => !key.startsWith('serve.') && HARMLESS.includes(findSetting(key)?.type.kind ?? ''),
  )
  const { kind, model } = settings.embedder
  return {
    settings: Object.fromEntries(changedKeys.sort().map((key) => [key, settingAt(settings, key)])),
    ...(kind === 'none' ? {} : { embedder: kind === 'static' || isPath(model) ? kind : `${kind}:${model}` }),
  }
}

function isPath(model: string): boolean {
  return model === '' || /^(?:[./~\\]|[a-z]:)/i.test(model)
}

function settingAt(settings: Settings, key: string): unknown {
  const [section, name] = splitKey(key)
  return (settings as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[section]?.[name]
}
