export const tabStorage = storageOf('sessionStorage')
export const browserStorage = storageOf('localStorage')

/** If the user blocks cookies, the storage lasts as long as the page. */
function storageOf(name: 'sessionStorage' | 'localStorage'): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return globalThis[name]
  } catch {
    const items = new Map<string, string>()
    return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) }
  }
}
