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

/** Environment variable with the API key. It is not a setting because keys do not belong in files. */
export const API_KEY_VARIABLE = 'ROUX_EMBEDDER_API_KEY'
/** Environment variable with the database password. It is not a setting because passwords do not belong in files. */
export const STORE_PASSWORD_VARIABLE = 'ROUX_STORE_NEO4J_PASSWORD'

/** Environment variable with the API key for the chat model. */
export const AI_KEY_VARIABLE = 'ROUX_AI_API_KEY'

export const KEY_VARIABLES: readonly string[] = [API_KEY_VARIABLE, AI_KEY_VARIABLE, STORE_PASSWORD_VARIABLE]

/** Returns the name of an environment variable that holds a key, if there is one. */
export function keyVariableIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return KEY_VARIABLES.find((name) => (env[name] ?? '') !== '')
}
