import { stat } from 'node:fs/promises'
import type { LoadedSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { messageOf } from '../../core/errors.ts'

/** The polling interval in milliseconds. Polling is necessary, because missing files cannot be watched. */
const INTERVAL = 500

/** The settings that a running server applies without a restart. */
const LIVE = ['tools.', 'mcp.prompts_folder', 'answers.', 'http.enabled', 'ai.enabled', 'ai.allow', 'ai.deny'] as const

function isLive(key: string): boolean {
  return LIVE.some((beginning) => key.startsWith(beginning))
}

export interface LiveSettingsOptions {
  /** The value of `--http`, which applies until a settings file changes `http.enabled`. */
  readonly overHttp?: boolean
  readonly interval?: number
  /** Loads the settings. @throws RouxError for invalid settings */
  load(): Promise<LoadedSettings>
  say(line: string): void
  onChange(before: Settings, now: Settings): void
}

export type LiveSettings = ReturnType<typeof liveSettings>

export function liveSettings(
  loaded: LoadedSettings,
  { overHttp, interval = INTERVAL, load, say, onChange }: LiveSettingsOptions,
) {
  const { settings } = loaded
  const started = overHttp ? { ...settings, http: { ...settings.http, enabled: true } } : settings
  const messages = new Set(loaded.warnings)
  let current: LoadedSettings = { ...loaded, settings: started }
  /** The value is `undefined` if no source sets `http.enabled`. */
  let httpSetting = httpSettingOf(loaded)
  let timer: NodeJS.Timeout | undefined
  let fileState: string | undefined
  /** The files are loaded when two checks agree, because a program may still be writing them. */
  let lastSeen: string | undefined
  let failure: string | undefined
  let isBusy = false

  const check = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    try {
      const seen = await fingerprintOf(current.places)
      const isSettled = seen === lastSeen
      lastSeen = seen
      if (seen === fileState || !isSettled) return
      fileState = seen
      apply(await load())
      failure = undefined
    } catch (error) {
      sayFailure(messageOf(error))
    } finally {
      isBusy = false
    }
  }

  const apply = (reloaded: LoadedSettings): void => {
    for (const warning of reloaded.warnings) sayOnce(warning)
    const later = changedKeys(started, reloaded.settings).filter((key) => !isLive(key))
    for (const key of later) sayOnce(`${key} takes effect at the next start.`)
    const before = current.settings
    const now = { ...reloaded.settings, http: { ...reloaded.settings.http, enabled: isHttpOn(reloaded) } }
    current = { ...reloaded, settings: withLive(started, now) }
    if (changedKeys(before, current.settings).length > 0) onChange(before, current.settings)
  }

  const isHttpOn = (reloaded: LoadedSettings): boolean => {
    const setting = httpSettingOf(reloaded)
    if (setting === httpSetting) return current.settings.http.enabled
    httpSetting = setting
    return setting ?? started.http.enabled
  }

  const sayFailure = (reason: string): void => {
    if (reason === failure) return
    failure = reason
    say(`The settings could not be reloaded: ${reason} The previous settings remain in effect.`)
  }

  const sayOnce = (line: string): void => {
    if (messages.has(line)) return
    messages.add(line)
    say(line)
  }

  return {
    get current(): LoadedSettings {
      return current
    },
    watch(): void {
      timer ??= setInterval(() => void check(), interval).unref()
    },
    stop(): void {
      clearInterval(timer)
    },
  }
}

function httpSettingOf({ settings, origins }: LoadedSettings): boolean | undefined {
  return origins.has('http.enabled') ? settings.http.enabled : undefined
}

function withLive(started: Settings, now: Settings): Settings {
  const section = (name: keyof Settings) => {
    const old = Object.entries(started[name]).filter(([key]) => !isLive(`${name}.${key}`))
    const liveEntries = Object.entries(now[name]).filter(([key]) => isLive(`${name}.${key}`))
    return Object.fromEntries([...old, ...liveEntries])
  }
  const names = Object.keys(started) as readonly (keyof Settings)[]
  return Object.fromEntries(names.map((name) => [name, section(name)])) as Settings
}

async function fingerprintOf(places: readonly string[]): Promise<string> {
  const parts = places.map(async (path) => {
    const stats = await stat(path).catch(() => undefined)
    return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`
  })
  return JSON.stringify([places, await Promise.all(parts)])
}

export function changedKeys(before: Settings, now: Settings): readonly string[] {
  const [old, newValues] = [flat(before), flat(now)]
  const keys = new Set([...old.keys(), ...newValues.keys()])
  return [...keys].filter((key) => old.get(key) !== newValues.get(key))
}

function flat(settings: Settings): ReadonlyMap<string, string> {
  const entries = Object.entries(settings).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, JSON.stringify(value)] as const),
  )
  return new Map(entries)
}
