import { stat } from 'node:fs/promises'
import type { LoadedSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { messageOf } from '../../core/errors.ts'

/** Polling interval in milliseconds. Missing files cannot be watched. */
const INTERVAL = 500

/** Settings that a running server applies without a restart. */
const LIVE = ['tools.', 'mcp.prompts_folder', 'answers.', 'http.enabled', 'ai.enabled', 'ai.allow', 'ai.deny'] as const

function isLive(key: string): boolean {
  return LIVE.some((beginning) => key.startsWith(beginning))
}

export interface LiveSettingsOptions {
  /** `--http` applies until a settings file changes `http.enabled`. */
  readonly overHttp?: boolean
  readonly interval?: number
  /** @throws RouxError for invalid settings */
  load(): Promise<LoadedSettings>
  say(line: string): void
  onChange(before: Settings, now: Settings): void
}

export class LiveSettings {
  readonly #options: LiveSettingsOptions
  readonly #started: Settings
  readonly #messages: Set<string>
  #loaded: LoadedSettings
  /** `undefined` if no source sets `http.enabled`. */
  #httpSetting: boolean | undefined
  #timer: NodeJS.Timeout | undefined
  #fileState: string | undefined
  /** The files are loaded when two checks agree, because a program may still be writing them. */
  #lastSeen: string | undefined
  #failure: string | undefined
  #isBusy = false

  constructor(loaded: LoadedSettings, options: LiveSettingsOptions) {
    const { settings } = loaded
    this.#options = options
    this.#started = options.overHttp ? { ...settings, http: { ...settings.http, enabled: true } } : settings
    this.#loaded = { ...loaded, settings: this.#started }
    this.#httpSetting = httpSettingOf(loaded)
    this.#messages = new Set(loaded.warnings)
  }

  get current(): LoadedSettings {
    return this.#loaded
  }

  watch(): void {
    this.#timer ??= setInterval(() => void this.#check(), this.#options.interval ?? INTERVAL).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      const fileState = await fingerprintOf(this.#loaded.places)
      const isSettled = fileState === this.#lastSeen
      this.#lastSeen = fileState
      if (fileState === this.#fileState || !isSettled) return
      this.#fileState = fileState
      this.#apply(await this.#options.load())
      this.#failure = undefined
    } catch (error) {
      this.#sayFailure(messageOf(error))
    } finally {
      this.#isBusy = false
    }
  }

  #apply(loaded: LoadedSettings): void {
    for (const warning of loaded.warnings) this.#sayOnce(warning)
    const later = changedKeys(this.#started, loaded.settings).filter((key) => !isLive(key))
    for (const key of later) this.#sayOnce(`${key} takes effect at the next start.`)
    const before = this.#loaded.settings
    const now = { ...loaded.settings, http: { ...loaded.settings.http, enabled: this.#isHttpOn(loaded) } }
    this.#loaded = { ...loaded, settings: withLive(this.#started, now) }
    if (changedKeys(before, this.#loaded.settings).length > 0) this.#options.onChange(before, this.#loaded.settings)
  }

  #isHttpOn(loaded: LoadedSettings): boolean {
    const httpSetting = httpSettingOf(loaded)
    if (httpSetting === this.#httpSetting) return this.#loaded.settings.http.enabled
    this.#httpSetting = httpSetting
    return httpSetting ?? this.#started.http.enabled
  }

  #sayFailure(reason: string): void {
    if (reason === this.#failure) return
    this.#failure = reason
    this.#options.say(`The settings could not be reloaded: ${reason} The previous settings remain in effect.`)
  }

  #sayOnce(line: string): void {
    if (this.#messages.has(line)) return
    this.#messages.add(line)
    this.#options.say(line)
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
