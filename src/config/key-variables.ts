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
