import { foldId, toNodeId } from '../core/ids.ts'
import type { Batch, GivenId, GivenIds, KnownFile } from '../core/index-writer.ts'
import { FileIds } from '../graph/file-ids.ts'

export interface FileChanges {
  readonly removed: readonly KnownFile[]
  readonly added: readonly Pick<KnownFile, 'key' | 'path'>[]
}

/** A table of file ids for engines that use `Batch.ids`. It is built on first use. */
export class IdTable {
  readonly #knownFiles: ReadonlyMap<string, KnownFile>
  #ids: FileIds | undefined

  /** @param knownFiles kept up to date by the caller */
  constructor(knownFiles: ReadonlyMap<string, KnownFile>) {
    this.#knownFiles = knownFiles
  }

  /** Returns a function for the parts of a generation. The first call also returns changed ids of other files. */
  change(changes: FileChanges): (part: Pick<Batch, 'put'>, isFirst: boolean) => GivenIds {
    let others: readonly GivenId[] | undefined
    const apply = (): readonly GivenId[] => {
      this.#ids ??= idsOf(this.#knownFiles.values())
      others ??= this.#apply(this.#ids, changes)
      return others
    }
    // Once built, the ids must be updated for every generation.
    if (this.#ids !== undefined) apply()
    return ({ put }, isFirst) => {
      const changedIds = apply()
      const newIds = put.map(({ key }) => this.#give(key))
      return { files: isFirst ? [...newIds, ...changedIds] : newIds, missing: (name) => toNodeId(foldId(name)) }
    }
  }

  /** @returns other files whose ids or twins may have changed */
  #apply(ids: FileIds, { removed, added }: FileChanges): readonly GivenId[] {
    const folded: string[] = []
    for (const { key, path } of removed) {
      ids.remove(key)
      folded.push(path)
    }
    for (const { key, path } of added) {
      if (ids.path(key) === path) continue
      ids.add(key, path)
      folded.push(path)
    }
    const placedKeys = new Set(added.map(({ key }) => key))
    const keys = new Set(folded.flatMap((path) => groupOf(ids, path)).filter((key) => !placedKeys.has(key)))
    return [...keys].map((key) => this.#give(key))
  }

  #give(key: number): GivenId {
    return { key, id: this.#ids?.id(key) ?? toNodeId(''), twins: this.#ids?.twins(key) ?? [] }
  }
}

function groupOf(ids: FileIds, path: string): readonly number[] {
  const key = ids.find(path)
  return key === undefined ? [] : [key, ...ids.twins(key)]
}

function idsOf(files: Iterable<KnownFile>): FileIds {
  const ids = new FileIds()
  for (const { key, path } of files) ids.add(key, path)
  return ids
}
