import { foldId } from '../core/ids.ts'

/**
 * Missing targets, numbered from 0. Names that fold to the same string are one target. Numbers are reused after `release`;
 * otherwise a long-running server would remember every target that was ever missing.
 */
export class MissingTargets {
  readonly #names: string[] = []
  readonly #sources: number[][] = []
  readonly #byFold = new Map<string, number>()
  readonly #unused: number[] = []

  numberOf(name: string): number {
    const folded = foldId(name)
    const existing = this.#byFold.get(folded)
    if (existing !== undefined) return existing
    const number = this.#unused.pop() ?? this.#names.length
    this.#names[number] = name
    this.#sources[number] = []
    this.#byFold.set(folded, number)
    return number
  }

  /** Frees those of the given targets that no file links to. */
  release(numbers: Iterable<number>): void {
    for (const number of numbers) {
      const folded = foldId(this.name(number))
      if (this.sources(number).length > 0 || this.#byFold.get(folded) !== number) continue
      this.#byFold.delete(folded)
      this.#names[number] = ''
      this.#unused.push(number)
    }
  }

  /** Returns a target's number, or `undefined` if no file links to it. */
  find(name: string): number | undefined {
    return this.#byFold.get(foldId(name))
  }

  /** The name in its first spelling. */
  name(number: number): string {
    return this.#names[number] ?? ''
  }

  /** Keys of the files that link to the target. */
  sources(number: number): number[] {
    return this.#sources[number] ?? []
  }

  /** Numbers of the targets that are linked to, in no particular order. */
  numbers(): readonly number[] {
    return [...this.#byFold.values()]
  }
}
