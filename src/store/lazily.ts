import { once } from '../core/waiting/once.ts'

/**
 * An object whose methods are all asynchronous, created at the first call; `iterating` names those that return parts. A
 * failed creation is retried.
 */
export function lazily<T extends object>(make: () => Promise<T>, iterating: readonly (keyof T)[] = []): T {
  let made = once(make)
  const get = async (): Promise<T> => {
    try {
      return await made()
    } catch (error) {
      made = once(make)
      throw error
    }
  }
  type Method = (...given: unknown[]) => unknown
  const method = async (name: string | symbol): Promise<Method> => {
    const target = await get()
    return (Reflect.get(target, name) as Method).bind(target)
  }
  const iterated = new Set<string | symbol | number>(iterating)
  return new Proxy({} as T, {
    get: (_, name) => {
      // `await` asks whether it is a promise.
      if (name === 'then') return undefined
      if (!iterated.has(name)) return async (...given: unknown[]) => (await method(name))(...given)
      return async function* (...given: unknown[]) {
        yield* (await method(name))(...given) as AsyncIterable<unknown>
      }
    },
  })
}
