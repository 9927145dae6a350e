import type { Answer, Warning } from '../../app/graph-core.ts'
import { isRecord } from '../../core/is-record.ts'

export interface VaultAnswer<Value = unknown> {
  readonly vault: string
  readonly answer: Answer<Value>
}

/**
 * The vaults to query if the call names none: the first one (`one`), all of them (`all`), or those named in `ids` (`each`).
 * `merge` receives the values in the order of the vaults.
 */
export type Reach<Args = unknown, Value = unknown> =
  /**
   * The call names one vault or uses the first one. With `mustChoose`, the caller must name one of several vaults, because the
   * answer does not name its vault.
   */
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      /** Selects the answers to count. By default, all answers count. */
      counting?(answers: readonly VaultAnswer<Value>[]): readonly VaultAnswer<Value>[]
      merge(answers: readonly VaultAnswer<Value>[], args: Args): unknown
    }

/** A reach for any tool. Unlike in `Reach`, `merge` receives unparsed arguments and returns only the requested page. */
export type VaultReach =
  | { readonly kind: 'one'; readonly mustChoose?: boolean }
  | {
      readonly kind: 'all' | 'each'
      merge(answers: readonly VaultAnswer[], args: unknown): Merged
    }

export const ONE_VAULT = { kind: 'one' } as const

export type Merged = Pick<Answer<unknown>, 'value' | 'list'>

/** Returns a page of the merged lists. The list of each vault must include all items up to the end of the page. */
export function mergedPage(value: unknown, answers: readonly VaultAnswer[], args: object): Merged {
  const lists = answers.flatMap(({ answer: { list } }) => list ?? [])
  const [first] = lists
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER } = args as { readonly offset?: number; readonly limit?: number }
  if (first !== undefined && isRecord(value) && Array.isArray(value.groups)) {
    // The same group can occur in several vaults, so counts cannot be added up.
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

/** Prefixes each warning with its vault. A warning about an unknown name is dropped if another vault has the name. */
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

function unknownName({ code, message }: Warning): string | undefined {
  return code === 'UNKNOWN_ID' ? /"(?:[^"\\]|\\.)*"/.exec(message)?.[0] : undefined
}

export function valuesOf<Value>(answers: readonly VaultAnswer<Value>[]): readonly Value[] {
  return answers.map(({ answer }) => answer.value)
}
