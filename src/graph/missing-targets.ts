import { foldId } from '../core/ids.ts'

/**
 * Missing targets, numbered from 0. Names that are equal after folding are the same target. Numbers are reused after `release`,
 * so that a long-running server does not keep every name that was ever missing.
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

  /** Removes those of the given targets that nothing links to. */
  release(numbers: Iterable<number>): void {
    for (const number of numbers) {
      const folded = foldId(this.name(number))
      if (this.sources(number).length > 0 || this.#byFold.get(folded) !== number) continue
      this.#byFold.delete(folded)
      this.#names[number] = ''
      this.#unused.push(number)
    }
  }

  /** Returns the number of a target, or `undefined` if nothing links to it. */
  find(name: string): number | undefined {
    return this.#byFold.get(foldId(name))
  }

  /** The name as first written. */
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
