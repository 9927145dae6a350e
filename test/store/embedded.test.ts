import type { ExportRow, Snapshot, Store, StoreChange, Topology } from '../../src/core/store.ts'
import { openThrough } from '../contract/open-engine.ts'
import { type OpenStore, testStore } from '../contract/store.ts'
import { embeddedEngine } from '../support/memory-vault.ts'

/** Members with ids or lists of ids. */
const IDS: ReadonlySet<string> = new Set(['id', 'ids', 'source', 'twins', 'rivals'])

/** Wraps the store of a named vault to look like an unnamed one: every id must have the vault's name, which is removed. */
function unnamed(store: Store, name: string): Store {
  const start = `${name}:`
  const strip = (value: unknown, member = ''): unknown => {
    if (typeof value === 'string') {
      if (IDS.has(member) && !value.startsWith(start)) throw new Error(`"${value}" is no id of ${name}`)
      return value.startsWith(start) ? value.slice(start.length) : value
    }
    if (typeof value === 'function') return () => strip(value(), member)
    if (Array.isArray(value)) return value.map((item) => strip(item, member))
    if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, strip(item, key)]))
  }
  const topologies = new WeakMap<Topology, Topology>()
  const strippedSnapshot = (snapshot: Snapshot): Snapshot =>
    new Proxy(snapshot, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (key === 'restart') return () => target.restart()
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          const given = key === 'kinds' ? [(args[0] as readonly string[]).map((id) => start + id)] : args
          const answer: unknown = await member.apply(target, given)
          const stripped = strip(answer)
          if (key === 'topology') topologies.set(stripped as Topology, answer as Topology)
          return stripped
        }
      },
    })
  return {
    read: (use, signal) => store.read((snapshot) => use(strippedSnapshot(snapshot)), signal),
    condition: () => store.condition(),
    keepScores: (metric, topology, scores) => store.keepScores(metric, topologies.get(topology) ?? topology, scores),
    async *export() {
      for await (const row of store.export()) yield strip(row) as ExportRow
    },
    onChange: (listener) => store.onChange((change) => listener(strip(change) as StoreChange)),
    close: () => store.close(),
  }
}

const openEmbedded = openThrough((vault) => embeddedEngine(undefined, vault))

testStore('embedded', openEmbedded, { isShared: false })

const openNamed: OpenStore = async (files, options = {}) => {
  if (options.vault !== undefined) return await openEmbedded(files, options)
  const under = await openEmbedded(files, { ...options, vault: 'home' })
  return { ...under, store: unnamed(under.store, 'home') }
}

testStore('embedded, of a vault with a name,', openNamed, { isShared: false })
