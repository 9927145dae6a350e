import { isAbsolute, join } from 'node:path'
import envPaths from 'env-paths'

/** The user's own folders. Each is created with mode 0700 when something is first written into it. */
export interface Folders {
  /** Settings, written by a person. */
  readonly config: string
  /** The index, which can be rebuilt. */
  readonly cache: string
  /** Trust and history, which cannot be rebuilt. */
  readonly state: string
}

type Env = Readonly<Record<string, string | undefined>>

/** The user's folders: the XDG variables on every platform that sets them, else the platform's own. */
export function userFolders(env: Env = process.env): Folders {
  const own = envPaths('roux', { suffix: '' })
  return {
    config: xdg(env.XDG_CONFIG_HOME) ?? own.config,
    cache: xdg(env.XDG_CACHE_HOME) ?? own.cache,
    // On Linux the library's `log` is the state folder; the other platforms know none and keep such things with the data.
    state: xdg(env.XDG_STATE_HOME) ?? (process.platform === 'darwin' || process.platform === 'win32' ? own.data : own.log),
  }
}

/** The XDG specification has relative paths ignored. */
function xdg(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? join(folder, 'roux') : undefined
}
