import type { Answer, Warning } from '../../app/graph-core.ts'

/** The answer of one of several vaults. */
export interface VaultAnswer<Value = unknown> {
  readonly vault: string
  readonly answer: Answer<Value>
}

/**
 * Which of several vaults a tool asks, where neither its arguments nor `vault` name one: the first, all of them, or for each of its `ids` the
 * one that the id names. `merge` makes one value of theirs, in the order of the vaults.
 */
export type Reach<Args = unknown, Value = unknown> =
  /** `mustChoose`: with several vaults the caller must name one, because the answer would not show that the others were left out. */
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      /** The answers that count; all of them where it is absent. */
      counting?(answers: readonly VaultAnswer<Value>[]): readonly VaultAnswer<Value>[]
      merge(answers: readonly VaultAnswer<Value>[], args: Args): unknown
    }

/** The same of a tool as it is called: the merged value is the page that was asked for. */
export type VaultReach =
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      merge(answers: readonly VaultAnswer[], args: unknown): Merged
    }

export const ONE_VAULT = { kind: 'one' } as const

/** The combined answer of several vaults. */
export type Merged = Pick<Answer<unknown>, 'value' | 'list'>

/** The page that is asked for of a merged list whose parts begin at the beginning and end where the page does. */
export function mergedPage(value: unknown, answers: readonly VaultAnswer[], args: object): Merged {
  const lists = answers.flatMap(({ answer: { list } }) => list ?? [])
  const [first] = lists
  if (first === undefined || !Array.isArray(value)) return { value }
  const { offset = 0, limit = value.length } = args as { readonly offset?: number; readonly limit?: number }
  const page = value.slice(offset, offset + limit)
  const count = lists.reduce((sum, list) => sum + list.count, 0)
  return { value: page, list: { offset, shown: page.length, count, counted: first.counted } }
}

/**
 * The warnings of several answers, each with the vault that it is about. Where all were asked for the same, a name that one vault knows is not
 * said to be unknown to another.
 */
export function mergeWarnings(answers: readonly VaultAnswer[], kind: VaultReach['kind']): readonly Warning[] {
  const unknown = answers.map(({ answer }) => new Set(answer.warnings.map(unknownName)))
  const isKnown = (warning: Warning): boolean => {
    const name = unknownName(warning)
    return kind === 'all' && name !== undefined && !unknown.every((names) => names.has(name))
  }
  return answers.flatMap(({ vault, answer }) =>
    answer.warnings
      .filter((warning) => !isKnown(warning))
      .map(({ code, message }) => ({ code, message: `${vault}: ${message}` })),
  )
}

/** The unknown name in a warning: the first one it quotes. */
function unknownName({ code, message }: Warning): string | undefined {
  return code === 'UNKNOWN_ID' ? /"(?:[^"\\]|\\.)*"/.exec(message)?.[0] : undefined
}

export function valuesOf<Value>(answers: readonly VaultAnswer<Value>[]): readonly Value[] {
  return answers.map(({ answer }) => answer.value)
}
