import type { FileNames, NamedFile, NameIndex } from '../../links/names.ts'
import { parseNote } from '../../markdown/parse-note.ts'
import type { Draft } from './draft.ts'
import type { VaultView } from './vault-view.ts'

/** Adds planned names to the name index and removes them after planning. */
export class PlannedNames {
  readonly #names: NameIndex
  readonly #before = new Map<number, NamedFile | undefined>()

  constructor(names: NameIndex) {
    this.#names = names
  }

  get differ(): boolean {
    return this.#before.size > 0
  }

  before(key: number): NamedFile | undefined {
    return this.#before.has(key) ? this.#before.get(key) : this.#names.file(key)
  }

  set(key: number, names: FileNames | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.before(key))
    this.#names.remove(key)
    if (names !== undefined) this.#names.add({ ...names, key })
  }

  restore(): void {
    for (const [key, before] of this.#before) {
      this.#names.remove(key)
      if (before !== undefined) this.#names.add(before)
    }
    this.#before.clear()
  }
}

/** Returns the names that a file would have at another path, judging by its current text. */
export function namedByText(draft: Draft, to: string, { kindOf, flavour }: VaultView): FileNames {
  if (kindOf(draft.path) !== 'note') return { path: to, aliases: [], title: undefined }
  const { aliases, title } = parseNote(draft.text, flavour)
  return { path: to, aliases, title }
}

export function sameNames(a: FileNames, b: FileNames): boolean {
  return a.title === b.title && a.aliases.length === b.aliases.length && a.aliases.every((alias, at) => alias === b.aliases[at])
}
