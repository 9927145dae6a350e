import { isAbsolute, join } from 'node:path'
import envPaths from 'env-paths'

/** The user's folders. The first write creates them with mode 0700. */
export interface Folders {
  /** The folder of settings, which are written by hand. */
  readonly config: string
  /** The folder of index files, which can be rebuilt. */
  readonly cache: string
  /** The folder of trust and history, which cannot be recreated. */
  readonly state: string
}

type Env = Readonly<Record<string, string | undefined>>

/** Returns the user's folders. XDG variables apply on every platform, and otherwise the platform's conventions. */
export function userFolders(env: Env = process.env): Folders {
  const paths = envPaths('roux', { suffix: '' })
  return {
    config: xdg(env.XDG_CONFIG_HOME) ?? paths.config,
    cache: xdg(env.XDG_CACHE_HOME) ?? paths.cache,
    // The folder `log` of `env-paths` is the state folder on Linux. Other platforms have no state folder.
    state: xdg(env.XDG_STATE_HOME) ?? (process.platform === 'darwin' || process.platform === 'win32' ? paths.data : paths.log),
  }
}

/** Returns a folder from an XDG variable. The specification requires ignoring relative paths. */
function xdg(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? join(folder, 'roux') : undefined
}

/** The key has a variable instead of a setting, because keys do not belong in files. */
export const API_KEY_VARIABLE = 'ROUX_EMBEDDER_API_KEY'
/** The password has a variable instead of a setting, because passwords do not belong in files. */
export const STORE_PASSWORD_VARIABLE = 'ROUX_STORE_NEO4J_PASSWORD'

/** The variable with the API key for the chat model. */
export const AI_KEY_VARIABLE = 'ROUX_AI_API_KEY'

export const KEY_VARIABLES: readonly string[] = [API_KEY_VARIABLE, AI_KEY_VARIABLE, STORE_PASSWORD_VARIABLE]

export function keyVariableIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return KEY_VARIABLES.find((name) => (env[name] ?? '') !== '')
}
