import type { Mode } from '../../core/note.ts'
import { changedNames, type FileNames, type NamedFile, NameIndex, type Names } from '../names.ts'

/** A change of names. `after` is `undefined` for a removed file. An unknown key denotes a new file. */
export interface NameChange {
  readonly key: number
  readonly after: FileNames | undefined
}

export function movedTo(names: NameIndex, key: number, path: string): NameChange {
  const file = names.file(key)
  return { key, after: { path, aliases: file?.aliases ?? [], title: file?.title } }
}

/** An overlay of changed names over the index. Its size is proportional to the change. */
export class ChangedNames implements Names {
  readonly mode: Mode
  /** The folded names that are added, removed or respelled. Only links that mention one of them may change their target. */
  readonly touched: ReadonlySet<string>
  readonly #before: NameIndex
  readonly #changed = new Set<number>()
  readonly #after: NameIndex

  constructor(before: NameIndex, changes: readonly NameChange[]) {
    this.mode = before.mode
    this.touched = touchedNames(before, changes)
    this.#before = before
    this.#after = new NameIndex(before.mode)
    for (const { key, after } of changes) {
      this.#changed.add(key)
      if (after !== undefined) this.#after.add({ ...after, key })
    }
  }

  isChanged(key: number): boolean {
    return this.#changed.has(key)
  }

  file(key: number): NamedFile | undefined {
    return this.#changed.has(key) ? this.#after.file(key) : this.#before.file(key)
  }

  path(key: number): string | undefined {
    return this.#changed.has(key) ? this.#after.path(key) : this.#before.path(key)
  }

  foldedPath(key: number): string | undefined {
    return this.#changed.has(key) ? this.#after.foldedPath(key) : this.#before.foldedPath(key)
  }

  atPath(folded: string): readonly number[] {
    return this.#merge(this.#before.atPath(folded), this.#after.atPath(folded))
  }

  withName(folded: string): readonly number[] {
    return this.#merge(this.#before.withName(folded), this.#after.withName(folded))
  }

  withAlias(folded: string): readonly number[] {
    return this.#merge(this.#before.withAlias(folded), this.#after.withAlias(folded))
  }

  isSpelledAlias(key: number, alias: string): boolean {
    return (this.#changed.has(key) ? this.#after : this.#before).isSpelledAlias(key, alias)
  }

  #merge(before: readonly number[], after: readonly number[]): readonly number[] {
    const unchanged = before.some((key) => this.#changed.has(key)) ? before.filter((key) => !this.#changed.has(key)) : before
    return after.length === 0 ? unchanged : [...unchanged, ...after]
  }
}

/** Returns moved files, and files whose links mention an added or removed name. @param sourcesOf takes a folded name */
export function affectedSources(
  names: NameIndex,
  changes: readonly NameChange[],
  sourcesOf: (name: string) => Iterable<number>,
): ReadonlySet<number> {
  const affected = new Set<number>()
  for (const { key, after } of changes) {
    const before = names.file(key)
    if (before !== undefined && after !== undefined && before.path !== after.path) affected.add(key)
  }
  for (const name of touchedNames(names, changes)) for (const key of sourcesOf(name)) affected.add(key)
  return affected
}

function touchedNames(names: NameIndex, changes: readonly NameChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ key, after }) => changedNames(names.file(key), after, names.mode)))
}
