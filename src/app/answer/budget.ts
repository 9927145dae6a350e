import type { Call } from './answer-when-ready.ts'

/** Bounds of `max_tokens`. */
export const LEAST_TOKENS = 100
export const MOST_TOKENS = 50_000

/** Default budgets of tools, in tokens. */
export const DEFAULT_TOKENS = { list: 2_000, node: 4_000, nodes: 5_000 } as const

/** The tokens that an answer keeps within: as asked, as set, or the tool's own; `undefined` where it may be as long as it is. */
export function tokensFor(asked: number | undefined, own: number, { whole = false, maxTokens }: Call): number | undefined {
  return asked ?? (whole ? undefined : (maxTokens ?? own))
}

/** A value that keeps within a budget. */
export interface Fitted<Value> {
  readonly value: Value
  /** How many items of each member were left out or cut; `results` are rows of the list itself. */
  readonly omitted: Readonly<Record<string, number>>
}

/** A tool's budget and how to fit its answer into it. */
export interface Budgeted<Value = unknown> {
  /** The default. */
  readonly tokens: number
  /** The value, if there is one, in at most so many bytes of JSON. */
  fit(value: Exclude<Value, null>, room: number): Fitted<Value>
}

/** UTF-8 bytes of a token, as budgets count. */
export const TOKEN_BYTES = 4

/** UTF-8 bytes of a value's compact JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** The remaining budget while an answer is filled. */
export class Purse {
  #left: number
  readonly #all: number

  constructor(bytes: number) {
    this.#all = bytes
    this.#left = bytes
  }

  /** Bytes that are left of a share of the whole. */
  left(share = 1): number {
    return Math.max(0, this.#left - (1 - share) * this.#all)
  }

  /** Bytes that are left of the whole; below 0 where more was spent. */
  remaining(): number {
    return this.#left
  }

  spend(bytes: number): void {
    this.#left -= bytes
  }
}

/** Bytes between two items of a list. */
export const SEPARATOR = 1

export interface InTurnOptions<Item> {
  /** See `Purse.left`. */
  readonly share?: number
  /** Items of each list that are shown even without room. */
  readonly least?: number
  bytesOf?(item: Item): number
}

/** How many items of each list fit: one of each list in turn, and no further ones of a list after one that does not fit. */
export function countInTurn<Item>(
  lists: readonly (readonly Item[])[],
  purse: Purse,
  { share = 1, least = 0, bytesOf = (item) => jsonBytes(item) + SEPARATOR }: InTurnOptions<Item> = {},
): readonly number[] {
  const counts = lists.map(() => 0)
  let open = lists.map((list, at) => ({ list, at }))
  for (let count = 0; open.length > 0; count++) {
    open = open.filter(({ list, at }) => {
      const item = list[count]
      if (item === undefined) return false
      const bytes = bytesOf(item)
      if (bytes > purse.left(share) && count >= least) return false
      purse.spend(bytes)
      counts[at] = count + 1
      return true
    })
  }
  return counts
}

/** The counts that are not 0. */
export function nonZero(counts: Fitted<unknown>['omitted']): Fitted<unknown>['omitted'] {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

/** How much of each list is not shown, where `total` says how long it is. */
export function leftOut<Name extends string>(
  total: Readonly<Record<Name, number>>,
  shown: Readonly<Record<NoInfer<Name>, readonly unknown[]>>,
): Fitted<unknown>['omitted'] {
  const names = Object.keys(total) as Name[]
  return nonZero(Object.fromEntries(names.map((name) => [name, total[name] - shown[name].length])))
}

/** Adds up what two parts of an answer left out. */
export function sums(a: Fitted<unknown>['omitted'], b: Fitted<unknown>['omitted']): Fitted<unknown>['omitted'] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
}
