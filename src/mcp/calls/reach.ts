import type { Answer, Warning } from '../../app/graph-core.ts'
import { isRecord } from '../../core/is-record.ts'

export interface VaultAnswer<Value = unknown> {
  readonly vault: string
  readonly answer: Answer<Value>
}

/**
 * Selects the vaults that a tool queries if neither its arguments nor `vault` name one: the first vault (`one`), all vaults
 * (`all`), or those named in its `ids` (`each`). `merge` combines the vaults' values in the order of the vaults.
 */
export type Reach<Args = unknown, Value = unknown> =
  /**
   * If `mustChoose` is set and there are several vaults, the caller must name one, because the answer would not show that it
   * covers only the first.
   */
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      /** Selects the answers that count. By default, all of them do. */
      counting?(answers: readonly VaultAnswer<Value>[]): readonly VaultAnswer<Value>[]
      merge(answers: readonly VaultAnswer<Value>[], args: Args): unknown
    }

/** Like `Reach`, but `merge` receives unparsed arguments and returns only the requested page. */
export type VaultReach =
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      merge(answers: readonly VaultAnswer[], args: unknown): Merged
    }

export const ONE_VAULT = { kind: 'one' } as const

export type Merged = Pick<Answer<unknown>, 'value' | 'list'>

/** Returns one page of a merged list. Each vault's list must include all items up to the end of the page. */
export function mergedPage(value: unknown, answers: readonly VaultAnswer[], args: object): Merged {
  const lists = answers.flatMap(({ answer: { list } }) => list ?? [])
  const [first] = lists
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER } = args as { readonly offset?: number; readonly limit?: number }
  if (first !== undefined && isRecord(value) && Array.isArray(value.groups)) {
    // Several vaults can have the same group, so group counts cannot be added up.
    const groups = value.groups.slice(offset, offset + limit)
    return {
      value: { ...value, groups },
      list: { offset, shown: groups.length, count: value.groups.length, counted: first.counted },
    }
  }
  if (first === undefined || !Array.isArray(value)) return { value }
  const page = value.slice(offset, offset + limit)
  const count = lists.reduce((sum, list) => sum + list.count, 0)
  return { value: page, list: { offset, shown: page.length, count, counted: first.counted } }
}

/**
 * Merges the warnings of several answers, each prefixed with its vault. If all vaults were searched for the same
 * name and at least one has it, the others do not warn that it is unknown.
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

/** Returns the name that an `UNKNOWN_ID` warning is about. It is the first quoted string. */
function unknownName({ code, message }: Warning): string | undefined {
  return code === 'UNKNOWN_ID' ? /"(?:[^"\\]|\\.)*"/.exec(message)?.[0] : undefined
}

export function valuesOf<Value>(answers: readonly VaultAnswer<Value>[]): readonly Value[] {
  return answers.map(({ answer }) => answer.value)
}
