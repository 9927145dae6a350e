/** Returns `undefined` if the action throws. */
export function quietly<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

export function parseJson(text: string): unknown {
  return quietly(() => JSON.parse(text) as unknown)
}
