import { foldId } from '../../core/ids.ts'
import type { Draft } from './draft.ts'

/** The files that planning has touched, by their paths before and after. */
export class DraftTable {
  readonly #byKey = new Map<number, Draft>()
  readonly #byOriginal = new Map<string, Draft>()
  readonly #byFolded = new Map<string, Set<Draft>>()

  add(draft: Draft): Draft {
    this.#byKey.set(draft.key, draft)
    if (draft.original !== undefined) this.#byOriginal.set(draft.original, draft)
    this.#enter(draft)
    return draft
  }

  /** Moves a file. */
  place(draft: Draft, path: string): void {
    this.#byFolded.get(foldId(draft.path))?.delete(draft)
    draft.path = path
    this.#enter(draft)
  }

  has(key: number): boolean {
    return this.#byKey.has(key)
  }

  get(key: number): Draft | undefined {
    return this.#byKey.get(key)
  }

  all(): readonly Draft[] {
    return [...this.#byKey.values()]
  }

  /** The file from a path on disk. */
  from(original: string): Draft | undefined {
    return this.#byOriginal.get(original)
  }

  /** The file that will be at exactly this path. */
  at(path: string): Draft | undefined {
    return this.like(foldId(path)).find((draft) => draft.path === path)
  }

  /** The files that will be at paths that fold to this. */
  like(folded: string): readonly Draft[] {
    return [...(this.#byFolded.get(folded) ?? [])]
  }

  #enter(draft: Draft): void {
    const folded = foldId(draft.path)
    const there = this.#byFolded.get(folded)
    if (there === undefined) this.#byFolded.set(folded, new Set([draft]))
    else there.add(draft)
  }
}
