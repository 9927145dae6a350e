import { isAbsolute, join } from 'node:path'
import envPaths from 'env-paths'

/** Per-user folders. Each is created with mode 0700 the first time something is written to it. */
export interface Folders {
  /** Settings, which are written by hand. */
  readonly config: string
  /** Index files, which can be rebuilt. */
  readonly cache: string
  /** Trust decisions and history, which cannot be recreated. */
  readonly state: string
}

type Env = Readonly<Record<string, string | undefined>>

/** Returns the user's folders. XDG variables are respected on every platform; if they are not set, the platform's conventions apply. */
export function userFolders(env: Env = process.env): Folders {
  const paths = envPaths('roux', { suffix: '' })
  return {
    config: xdg(env.XDG_CONFIG_HOME) ?? paths.config,
    cache: xdg(env.XDG_CACHE_HOME) ?? paths.cache,
    // The library's `log` folder is the state folder on Linux. Other platforms have no state folder, so the data folder is used.
    state: xdg(env.XDG_STATE_HOME) ?? (process.platform === 'darwin' || process.platform === 'win32' ? paths.data : paths.log),
  }
}

/** The XDG specification requires that relative paths be ignored. */
function xdg(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? join(folder, 'roux') : undefined
}
