/** Storage of the tab, and of the browser. */
export const tabStorage = storageOf('sessionStorage')
export const browserStorage = storageOf('localStorage')

/** Returns a storage or, if the user blocks cookies, one that lasts as long as the page. */
function storageOf(name: 'sessionStorage' | 'localStorage'): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return globalThis[name]
  } catch {
    const items = new Map<string, string>()
    return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) }
  }
}
