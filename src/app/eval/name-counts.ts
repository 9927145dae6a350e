import { foldName } from '../../core/text/fold.ts'

/** A note's names. */
export interface NoteNames {
  readonly title: string
  /** Without the title. */
  readonly aliases: readonly string[]
  /** Without the title. */
  readonly headings: readonly string[]
}

/** Longer texts are nothing that anybody types. */
const LONGEST_NAME = 200

/** How many notes each name belongs to, compared folded. */
export class NameCounts {
  readonly #names = new Map<string, number>()
  readonly #headings = new Map<string, number>()

  constructor(notes: Iterable<NoteNames>) {
    for (const { title, aliases, headings } of notes) {
      for (const name of new Set([title, ...aliases].map(foldName))) this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
      for (const name of new Set(headings.map(foldName))) this.#headings.set(name, (this.#headings.get(name) ?? 0) + 1)
    }
  }

  /** True if it is a title or alias. */
  isName(name: string): boolean {
    return this.#names.has(foldName(name))
  }

  /** True if it is the title or alias of exactly one note, and usable as a query. */
  isOnlyName(name: string): boolean {
    return canBeAsked(name) && this.#names.get(foldName(name)) === 1
  }

  /** True if it is a heading in exactly one note, nobody's title or alias, and usable as a query. */
  isOnlyHeading(name: string): boolean {
    return canBeAsked(name) && this.#headings.get(foldName(name)) === 1 && !this.isName(name)
  }
}

function canBeAsked(name: string): boolean {
  return name.length <= LONGEST_NAME && /[\p{L}\p{N}]/u.test(name)
}
