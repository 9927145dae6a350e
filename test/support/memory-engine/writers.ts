import type { NodeId } from '../../../src/core/ids.ts'
import type { Batch, FileRecord, GivenIds, IndexWriter, KnownFile, VaultState } from '../../../src/core/index-writer.ts'
import type { AnalysedText, SearchWriter } from '../../../src/core/search-writer.ts'
import { type Generation, type MemoryFile, type MemoryToken, NOTHING, pause, type SearchData } from './data.ts'

/** Where generations are kept, and who hears of them. */
export interface Shelf {
  current: Generation
  onCommit(files: readonly MemoryFile[]): void
}

/** A part as it is kept until the commit: the indexer may do what it likes with its own. */
interface Taken extends Pick<Batch, 'put' | 'remove' | 'touch'> {
  readonly ids: GivenIds
  readonly missing: ReadonlyMap<string, NodeId>
}

/** Parts that hold two files each, so that whoever reads only the first one is found out. */
async function* inParts<T>(items: readonly T[]): AsyncIterable<readonly T[]> {
  for (let from = 0; from < items.length; from += 2) {
    await pause()
    yield items.slice(from, from + 2)
  }
}

export function memoryIndexWriter(shelf: Shelf): IndexWriter {
  const files = (): readonly FileRecord[] => [...shelf.current.files.values()].map(({ record }) => record)
  const each = async <T>(keys: readonly number[], read: (file: MemoryFile | undefined) => T): Promise<readonly T[]> => {
    await pause()
    return keys.map((key) => read(shelf.current.files.get(key)))
  }
  return {
    async state() {
      await pause()
      return { ...shelf.current.state, generation: shelf.current.number }
    },
    files: () => inParts(files()),
    names: () => inParts(files()),
    mentions: () => inParts(files()),
    tags: () => inParts(files()),
    hashes: (keys) => each(keys, (file) => file?.record.hash ?? ''),
    records: async (keys) => (await each(keys, (file) => file?.record)).filter((record) => record !== undefined),
    outlines: (keys) => each(keys, (file) => (file?.record.kind === 'note' && file.record.hash !== '' ? file.info : undefined)),
    async descriptions(keys) {
      const found = await each(keys, (file) => file)
      return new Map(
        found.flatMap((file) => (file?.info === undefined ? [] : [[file.record.key, { ...file.record, ...file.info }] as const])),
      )
    },
    async contents(since) {
      await pause()
      const { number: generation, gone } = shelf.current
      const changed = [...shelf.current.files.values()].filter((file) => file.generation > since)
      const left = since === 0 ? [] : [...gone].filter(([, when]) => when > since)
      const none = { path: '', hash: '', excluded: false } as FileRecord
      return { generation, files: [...changed.map(({ record }) => record), ...left.map(([key]) => ({ ...none, key }))] }
    },
    async begin(base) {
      const parts: Taken[] = []
      return {
        async put(batch) {
          await pause()
          const { put, remove, touch } = batch
          const ids = batch.ids()
          const missing = put.flatMap(({ links }) => links.flatMap(({ to }) => (typeof to === 'string' ? [to] : [])))
          parts.push({
            ...structuredClone({ put, remove, touch }),
            ids,
            missing: new Map(missing.map((name) => [name, ids.missing(name)])),
          })
        },
        async commit(state) {
          await pause()
          if (shelf.current.number !== base) return undefined
          const isSeen = parts.some(({ put, remove }) => put.length + remove.length > 0) || !sameState(state, shelf.current.state)
          const number = isSeen || base === 0 ? base + 1 : base
          const before = shelf.current.files
          shelf.current = applied(shelf.current, parts, { number, state: structuredClone(state) })
          shelf.onCommit([...shelf.current.files.values()].filter((file) => before.get(file.record.key) !== file))
          return number
        },
      }
    },
    async tidy() {},
    async reset() {
      shelf.current = NOTHING
    },
    async close() {},
  }
}

function sameState(a: VaultState, b: VaultState): boolean {
  return a.complete === b.complete && JSON.stringify(a.outside) === JSON.stringify(b.outside)
}

function applied(from: Generation, parts: readonly Taken[], to: Pick<Generation, 'number' | 'state'>): Generation {
  const files = new Map(from.files)
  const gone = new Map(from.gone)
  const touch = ({ key, stat, style }: KnownFile): void => {
    const file = files.get(key)
    if (file !== undefined) files.set(key, { ...file, record: { ...file.record, stat, style } })
  }
  for (const { put, remove, touch: touched, ids, missing } of parts) {
    for (const key of remove) if (files.delete(key)) gone.set(key, to.number)
    const given = new Map(ids.files.map((one) => [one.key, one]))
    for (const record of put) {
      const { id, twins } = given.get(record.key) ?? never(`no id was given to ${record.path}`)
      const info = record.info ?? files.get(record.key)?.info
      files.set(record.key, { record, info, id, twins, missing, generation: to.number })
      gone.delete(record.key)
      given.delete(record.key)
    }
    for (const { key, id, twins } of given.values()) {
      const file = files.get(key) ?? never(`an id was given to ${key}, which is no file`)
      files.set(key, { ...file, id, twins })
    }
    for (const file of touched) touch(file)
  }
  return { ...to, files, gone }
}

function never(message: string): never {
  throw new Error(message)
}

export function memorySearchWriter(data: SearchData): SearchWriter {
  const versions = (items: Iterable<{ readonly key: number; readonly version: number }>) =>
    new Map([...items].map(({ key, version }) => [key, version]))
  return {
    wordVersions: async () => versions(data.documents.values()),
    vectorVersions: async (embedder) => versions(data.vectors.get(embedder)?.values() ?? []),
    isOutdated: async () => false,
    async beginWords(stemOf) {
      const read = (text: AnalysedText): { readonly tokens: readonly MemoryToken[]; readonly length: number } => {
        const tokens: MemoryToken[] = []
        const length = text((form, _, position) => tokens.push({ form, stem: stemOf(form), position }))
        return { tokens, length }
      }
      const batch: SearchData['documents'] = new Map()
      return {
        async put(notes) {
          await pause()
          for (const { key, path, version, title, body } of notes) {
            const [name, text] = [read(title), read(body)]
            const lengths = { titleLength: name.length, bodyLength: text.length }
            batch.set(key, { key, path, version, title: name.tokens, body: text.tokens, ...lengths })
          }
        },
        async commit() {
          await pause()
          for (const document of batch.values()) data.documents.set(document.key, document)
        },
      }
    },
    async vectorsOf(embedder, keys) {
      await pause()
      const notes = keys.flatMap((key) => data.vectors.get(embedder)?.get(key) ?? [])
      const texts = notes.flatMap(({ chunks, names }) => [...chunks, ...names])
      return new Map(texts.filter(({ vector }) => vector.some((value) => value !== 0)).map(({ hash, vector }) => [hash, vector]))
    },
    async putVectors(embedder, notes) {
      await pause()
      const known = data.vectors.get(embedder) ?? new Map()
      for (const note of structuredClone(notes)) known.set(note.key, note)
      data.vectors.set(embedder, known)
    },
    async forget(keys) {
      for (const notes of [data.documents, ...data.vectors.values()]) for (const key of keys) notes.delete(key)
    },
    async keepOnly(embedder) {
      for (const other of data.vectors.keys()) if (other !== embedder) data.vectors.delete(other)
    },
    maintain: async () => false,
    async tidy() {},
    async reset() {
      data.documents.clear()
      data.vectors.clear()
    },
    async close() {},
  }
}
