import { foldId } from '../core/ids.ts'

/** Missing targets, numbered from 0 in order of appearance. Names that are equal after folding are the same target. */
export class MissingTargets {
  readonly #names: string[] = []
  readonly #sources: number[][] = []
  readonly #byFold = new Map<string, number>()

  /** Returns the target's number, creating it if necessary. */
  numberOf(name: string): number {
    const folded = foldId(name)
    const known = this.#byFold.get(folded)
    if (known !== undefined) return known
    const number = this.#names.length
    this.#names.push(name)
    this.#sources.push([])
    this.#byFold.set(folded, number)
    return number
  }

  /** Returns the number of a target, or `undefined` if nothing links to it. */
  find(name: string): number | undefined {
    const number = this.#byFold.get(foldId(name))
    return number === undefined || this.sources(number).length === 0 ? undefined : number
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
    const numbers: number[] = []
    this.#sources.forEach((sources, number) => {
      if (sources.length > 0) numbers.push(number)
    })
    return numbers
  }
}
