import type { Call } from '../../app/answer/answer-when-ready.ts'
import { type Budgeted, sums, TOKEN_BYTES, tokensFor } from '../../app/answer/budget.ts'
import type { Answer } from '../../app/graph-core.ts'
import type { Arguments } from './vault-arguments.ts'

/** Cuts an answer to its budget, if it has one; the answer reports what is left out. */
export function fitAnswer(
  answer: Answer<unknown>,
  budget: Budgeted | undefined,
  { args, call }: { readonly args: Arguments; readonly call: Call },
): Answer<unknown> {
  if (budget === undefined) return answer
  const asked = typeof args.max_tokens === 'number' ? args.max_tokens : undefined
  const maxTokens = tokensFor(asked, budget.tokens, call)
  if (maxTokens === undefined) return answer
  const { value, omitted } = budget.fit(answer.value, maxTokens * TOKEN_BYTES)
  const { list } = answer
  const { results = 0 } = omitted
  const counts = sums(answer.omitted?.counts ?? {}, omitted)
  return {
    ...answer,
    value,
    ...(list === undefined || results === 0 ? {} : { list: { ...list, shown: list.shown - results } }),
    ...(Object.keys(counts).length === 0 ? {} : { omitted: { maxTokens, counts } }),
  }
}
