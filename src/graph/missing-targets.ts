import { foldId } from '../core/ids.ts'

/** Targets that do not exist, numbered from 0 in order of appearance; names that fold alike are one. */
export class MissingTargets {
  readonly #names: string[] = []
  readonly #sources: number[][] = []
  readonly #byFold = new Map<string, number>()

  /** The target's number, a new one where it is new. */
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

  /** The number of a target that is linked to. */
  find(name: string): number | undefined {
    const number = this.#byFold.get(foldId(name))
    return number === undefined || this.sources(number).length === 0 ? undefined : number
  }

  /** As written first. */
  name(number: number): string {
    return this.#names[number] ?? ''
  }

  /** Keys of the files that link to it. */
  sources(number: number): number[] {
    return this.#sources[number] ?? []
  }

  /** Those that are linked to, in no order. */
  numbers(): readonly number[] {
    const numbers: number[] = []
    this.#sources.forEach((sources, number) => {
      if (sources.length > 0) numbers.push(number)
    })
    return numbers
  }
}
