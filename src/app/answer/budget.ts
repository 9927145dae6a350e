import type { Call } from './answer-when-ready.ts'

/** Bounds of `max_tokens`. */
export const MIN_TOKENS = 100
export const MAX_TOKENS = 50_000

export const DEFAULT_TOKENS = { linked: 1_150, list: 2_000, node: 4_000, nodes: 5_000 } as const

/**
 * Returns the token budget of an answer: the requested one, the configured one, or the tool's default. `undefined` means no
 * limit.
 */
export function tokensFor(requested: number | undefined, usual: number, { whole = false, maxTokens }: Call): number | undefined {
  return requested ?? (whole ? undefined : (maxTokens ?? usual))
}

export interface Fitted<Value> {
  readonly value: Value
  /** Number of items omitted or truncated, by member. `results` counts the rows of the list itself. */
  readonly omitted: Counts
  /** Number of items beyond a fixed limit, by member. A larger budget would not show them. */
  readonly capped?: Counts
}

/** Item counts, keyed by member. */
export type Counts = Readonly<Record<string, number>>

export interface Budgeted<Value = unknown> {
  /** Default budget in tokens, which may depend on the arguments. */
  readonly tokens: number | ((args: Readonly<Record<string, unknown>>) => number)
  /** Fits a value into at most `room` bytes of JSON by leaving out members. Members that the arguments ask for come first. */
  fit(value: Exclude<Value, null>, room: number, args: Readonly<Record<string, unknown>>): Fitted<unknown>
}

/** Number of UTF-8 bytes counted as one token. */
export const TOKEN_BYTES = 4

/** Returns the size of a value's compact JSON in UTF-8 bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** Counts the bytes that are left while an answer is filled. */
export class Budget {
  #remaining: number
  readonly #total: number

  constructor(bytes: number) {
    this.#total = bytes
    this.#remaining = bytes
  }

  /** Returns how many bytes are left of a share of the budget. */
  available(share = 1): number {
    return Math.max(0, this.#remaining - (1 - share) * this.#total)
  }

  /** Returns how many bytes are left. Negative if the budget has been exceeded. */
  remaining(): number {
    return this.#remaining
  }

  spend(bytes: number): void {
    this.#remaining -= bytes
  }
}

/** Bytes of the separator between two items of a list. */
export const SEPARATOR = 1

export interface InTurnOptions<Item> {
  readonly share?: number
  /** Number of items that each list shows even if they exceed the budget. */
  readonly minItems?: number
  bytesOf?(item: Item): number
}

/**
 * Counts how many items of each list fit, taking items from the lists in turn. Once an item does not fit, the rest of its list is
 * left out.
 */
export function countInTurn<Item>(
  lists: readonly (readonly Item[])[],
  budget: Budget,
  { share = 1, minItems = 0, bytesOf = (item) => jsonBytes(item) + SEPARATOR }: InTurnOptions<Item> = {},
): readonly number[] {
  const counts = lists.map(() => 0)
  let open = lists.map((list, at) => ({ list, at }))
  for (let count = 0; open.length > 0; count++) {
    open = open.filter(({ list, at }) => {
      const item = list[count]
      if (item === undefined) return false
      const bytes = bytesOf(item)
      if (bytes > budget.available(share) && count >= minItems) return false
      budget.spend(bytes)
      counts[at] = count + 1
      return true
    })
  }
  return counts
}

export function nonZero(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

/**
 * Returns the first items of a list as a member of an answer. If no item fits, the member is left out, because an empty list
 * would mean that there are no items.
 */
export function listShown<Name extends string, Item>(
  name: Name,
  all: readonly Item[],
  shown: readonly Item[],
): { readonly [Member in Name]?: readonly Item[] } {
  return (isLeftOut(all, shown) ? {} : { [name]: shown }) as { [Member in Name]: readonly Item[] }
}

/** Checks whether an answer shows nothing of a list that has items. */
export function isLeftOut(all: readonly unknown[] = [], shown: readonly unknown[] = []): boolean {
  return shown.length === 0 && all.length > 0
}

/** Returns how many items of each list are not shown. `total` contains the full length of each list. */
function leftOut<Name extends string>(
  total: Readonly<Record<Name, number>>,
  shown: Readonly<Partial<Record<NoInfer<Name>, readonly unknown[]>>>,
): Counts {
  const names = Object.keys(total) as Name[]
  return nonZero(Object.fromEntries(names.map((name) => [name, total[name] - (shown[name]?.length ?? 0)])))
}

/**
 * Returns two counts for each list: the items that the budget left out (`omitted`), and those that were missing from `whole`
 * already (`capped`). `total` contains the full length of each list.
 */
export function leftOutOf<Name extends string>(
  total: Readonly<Record<Name, number>>,
  whole: Readonly<Partial<Record<NoInfer<Name>, readonly unknown[]>>>,
  shown: Readonly<Partial<Record<NoInfer<Name>, readonly unknown[]>>>,
): { readonly omitted: Counts; readonly capped: Counts } {
  const lengths = Object.fromEntries((Object.keys(total) as Name[]).map((name) => [name, whole[name]?.length ?? 0]))
  return { omitted: leftOut(lengths, shown), capped: leftOut(total, whole) }
}

export function sums(a: Counts, b: Counts): Counts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
}
