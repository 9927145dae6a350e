import type { Snapshot, Store } from '../../src/core/store.ts'

/** A store that answers each question after a delay, like a remote one. */
export interface SlowStore extends Store {
  /** The methods called so far; concurrent calls count as one round trip. */
  readonly trips: readonly string[]
}

export function slowStore(store: Store): SlowStore {
  const trips: string[] = []
  let underWay = 0
  const slowly = (snapshot: Snapshot): Snapshot =>
    new Proxy(snapshot, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name === 'restart') return () => target.restart()
        return async (...args: unknown[]) => {
          if (underWay++ === 0) trips.push(String(name))
          else trips.push(`${trips.pop()}+${String(name)}`)
          try {
            await new Promise((resolve) => setTimeout(resolve, 1))
            return await member.apply(target, args)
          } finally {
            underWay--
          }
        }
      },
    })
  return {
    trips,
    read: (use, signal) => store.read((snapshot) => use(slowly(snapshot)), signal),
    condition: () => store.condition(),
    keepScores: (metric, topology, scores) => store.keepScores(metric, topology, scores),
    ...(store.results === undefined ? {} : { results: store.results }),
    export: (signal) => store.export(signal),
    onChange: (listener) => store.onChange(listener),
    close: () => store.close(),
  }
}
