const NONE: readonly number[] = []

/**
 * Maps names to the files that mention them. Names are numbered, so a million mentions are stored as a million small integers. The number
 * of a name that no file mentions any more is used again, so a long-running server does not keep every name it ever met.
 */
export class Mentions {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []
  readonly #unused: number[] = []
  readonly #sources: Keys[] = []
  readonly #mentioned = new Map<number, readonly number[]>()

  /** Number of names that files mention. */
  get names(): number {
    return this.#numbers.size
  }

  get isEmpty(): boolean {
    return this.#mentioned.size === 0
  }

  has(key: number): boolean {
    return this.#mentioned.has(key)
  }

  sources(name: string): Iterable<number> {
    const number = this.#numbers.get(name)
    return number === undefined ? NONE : (this.#sources[number] ?? NONE)
  }

  /** Replaces the names that a file mentions. Names must be distinct. */
  set(key: number, names: readonly string[]): void {
    const before = this.#mentioned.get(key) ?? NONE
    const now = names.map((name) => this.#numberOf(name))
    for (const number of missingFrom(now, before)) this.#withdraw(number, key)
    for (const number of missingFrom(before, now)) this.#add(number, key)
    if (now.length === 0) this.#mentioned.delete(key)
    else this.#mentioned.set(key, now)
  }

  #add(number: number, key: number): void {
    const keys = this.#sources[number]
    if (Array.isArray(keys)) keys.push(key)
    else keys?.add(key)
  }

  #withdraw(number: number, key: number): void {
    const keys = without(this.#sources[number] ?? [], key)
    this.#sources[number] = keys
    if ((Array.isArray(keys) ? keys.length : keys.size) > 0) return
    this.#sources[number] = []
    this.#numbers.delete(this.#names[number] ?? '')
    this.#names[number] = ''
    this.#unused.push(number)
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#unused.pop() ?? this.#sources.length
    this.#numbers.set(name, number)
    this.#names[number] = name
    this.#sources[number] = []
    return number
  }
}

/** Stored as a list until keys are removed, because a set takes several times the memory. */
type Keys = number[] | Set<number>

/** Longer lists are converted to sets before keys are removed. */
const FEW_KEYS = 64

/**
 * Removes a key from an unordered collection. If keys are removed from a long list, usually many are, and searching the list for each
 * key would take quadratic time.
 */
function without(keys: Keys, key: number): Keys {
  if (Array.isArray(keys) && keys.length <= FEW_KEYS) {
    const at = keys.indexOf(key)
    if (at >= 0) keys.splice(at, 1)
    return keys
  }
  const set = Array.isArray(keys) ? new Set(keys) : keys
  set.delete(key)
  return set
}

/** Returns the elements of `wanted` that are not in `numbers`. */
function missingFrom(numbers: readonly number[], wanted: readonly number[]): readonly number[] {
  if (numbers.length === 0 || wanted.length === 0) return wanted
  const there = new Set(numbers)
  return wanted.filter((number) => !there.has(number))
}
