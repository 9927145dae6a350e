/** Returns the result of an action, or `undefined` if it throws. */
export function quietly<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

/** Parses JSON. Returns `undefined` if it is malformed. */
export function parseJson(text: string): unknown {
  return quietly(() => JSON.parse(text) as unknown)
}
