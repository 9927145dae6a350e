import type { Answer, Warning } from '../../app/graph-core.ts'

/** What one of several vaults answered. */
export interface VaultAnswer<Value = unknown> {
  readonly vault: string
  readonly answer: Answer<Value>
}

/**
 * Which of several vaults a tool asks, where neither its arguments nor `vault` name one: the first, all of them, or for each of its `ids` the
 * one that the id names. `merge` makes one value of theirs, in the order of the vaults.
 */
export type Reach<Args = unknown, Value = unknown> =
  | { readonly kind: 'one' }
  | { readonly kind: 'all' | 'each'; merge(answers: readonly VaultAnswer<Value>[], args: Args): unknown }

export const ONE_VAULT: Reach = { kind: 'one' }

/** The warnings of several answers, each with the vault that it is about. */
export function mergeWarnings(answers: readonly VaultAnswer[]): readonly Warning[] {
  return answers.flatMap(({ vault, answer }) =>
    answer.warnings.map(({ code, message }) => ({ code, message: `${vault}: ${message}` })),
  )
}

export function valuesOf<Value>(answers: readonly VaultAnswer<Value>[]): readonly Value[] {
  return answers.map(({ answer }) => answer.value)
}
