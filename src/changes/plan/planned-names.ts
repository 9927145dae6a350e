import type { NamedFile, NameIndex } from '../../links/name-index.ts'

/** Puts planned names into the index of names, and takes them out again when planning is over. */
export class PlannedNames {
  readonly #names: NameIndex
  /** Names as they were before planning. */
  readonly #before = new Map<number, NamedFile | undefined>()

  constructor(names: NameIndex) {
    this.#names = names
  }

  set(key: number, named: Omit<NamedFile, 'key'> | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#names.file(key))
    this.#names.remove(key)
    if (named !== undefined) this.#names.add({ ...named, key })
  }

  restore(): void {
    for (const [key, named] of this.#before) {
      this.#names.remove(key)
      if (named !== undefined) this.#names.add(named)
    }
    this.#before.clear()
  }
}
