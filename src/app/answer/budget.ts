import type { Call } from './answer-when-ready.ts'

export const MIN_TOKENS = 100
export const MAX_TOKENS = 50_000

export const DEFAULT_TOKENS = { linked: 1_150, list: 2_000, node: 4_000, nodes: 5_000 } as const

/** @returns the budget in tokens, or `undefined` for no limit */
export function tokensFor(
  requested: number | undefined,
  usual: number,
  { isUntruncated = false, maxTokens }: Call,
): number | undefined {
  return requested ?? (isUntruncated ? undefined : (maxTokens ?? usual))
}

export interface Fitted<Value> {
  readonly value: Value
  /** Number of omitted or truncated items, by member. `results` counts rows. */
  readonly omitted: Counts
  /** Number of items that exceed a fixed limit, by member. The budget does not affect these numbers. */
  readonly capped?: Counts
}

export type Counts = Readonly<Record<string, number>>

export interface Budgeted<Value = unknown> {
  readonly tokens: number | ((args: Readonly<Record<string, unknown>>) => number)
  /** Removes members until the JSON fits into `room` bytes. Members named in `args` have priority. */
  fit(value: Exclude<Value, null>, room: number, args: Readonly<Record<string, unknown>>): Fitted<unknown>
}

export const TOKEN_BYTES = 4

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

export class Budget {
  #remaining: number
  readonly #total: number

  constructor(bytes: number) {
    this.#total = bytes
    this.#remaining = bytes
  }

  available(share = 1): number {
    return Math.max(0, this.#remaining - (1 - share) * this.#total)
  }

  remaining(): number {
    return this.#remaining
  }

  spend(bytes: number): void {
    this.#remaining -= bytes
  }
}

export const SEPARATOR = 1

export interface InTurnOptions<Item> {
  readonly share?: number
  /** Minimum number of items per list, regardless of the budget. */
  readonly minItems?: number
  bytesOf?(item: Item): number
}

/** Takes items from the lists in turn. Each list ends at its first item that does not fit. */
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

/** Drops the member if no item fits, because an empty list would mean that there are no items. */
export function listShown<Name extends string, Item>(
  name: Name,
  all: readonly Item[],
  shown: readonly Item[],
): { readonly [Member in Name]?: readonly Item[] } {
  return (isLeftOut(all, shown) ? {} : { [name]: shown }) as { [Member in Name]: readonly Item[] }
}

export function isLeftOut(all: readonly unknown[] = [], shown: readonly unknown[] = []): boolean {
  return shown.length === 0 && all.length > 0
}

function leftOut<Name extends string>(
  total: Readonly<Record<Name, number>>,
  shown: Readonly<Partial<Record<NoInfer<Name>, readonly unknown[]>>>,
): Counts {
  const names = Object.keys(total) as Name[]
  return nonZero(Object.fromEntries(names.map((name) => [name, total[name] - (shown[name]?.length ?? 0)])))
}

/** @returns the number of items cut by the budget (`omitted`) and by a fixed limit (`capped`) */
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
