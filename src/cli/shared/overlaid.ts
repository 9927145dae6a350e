/**
 * Returns an object that has some members of its own and takes all others from `base`, which may be a class with private members.
 */
export function overlaid<T extends object>(base: T, overrides: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return new Proxy(base, {
    get(_target, key) {
      const from: object = key in overrides ? overrides : base
      const value: unknown = Reflect.get(from, key)
      return typeof value === 'function' ? value.bind(from) : value
    },
  })
}
