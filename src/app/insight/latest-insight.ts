import type { Insight } from '../../core/insight.ts'
import { answerInSteps, type Call, type Read, timeLeft, waiting } from '../answer-when-ready.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'

/** How long a command waits, which no client gives up on, ms. */
const COMMAND_WAITS = 600_000

/**
 * Answers from what the vault says as a whole: the first time that is waited for within the call's budget; later the last result answers, with
 * `STALE` while a newer one is made. `empty` where there is none in time.
 */
export function answerFromInsight<T>(
  core: GraphCore,
  call: Call,
  { empty, use }: { readonly empty: T; use(insight: Insight, read: Read): Promise<Answer<T>> },
): Promise<Answer<T>> {
  const began = waiting(call)
  return answerInSteps(core, began, async (read) => {
    const { insight, warnings } = await insightFor(core, began)
    if (insight === undefined) return { value: empty, warnings }
    const answered = await use(insight, read)
    return { ...answered, warnings: [...warnings, ...answered.warnings] }
  })
}

/** The last insight within the time that the call has, and what is to be said of it. */
export async function insightFor(
  core: GraphCore,
  call: Call,
): Promise<{ readonly insight: Insight | undefined; readonly warnings: readonly Warning[] }> {
  const wait = call.whole ? COMMAND_WAITS : timeLeft(call)
  const followed = await core.insights.follow({ wait, signal: call.signal })
  if (followed === undefined) return { insight: undefined, warnings: [BEING_MADE] }
  return { insight: followed.insight, warnings: followed.isCurrent ? [] : [OLDER] }
}

const BEING_MADE: Warning = {
  code: 'STALE',
  message: 'The vault is being looked at as a whole for the first time. Ask again in a moment.',
}
const OLDER: Warning = {
  code: 'STALE',
  message: 'The vault changed since it was looked at as a whole: this is of then, and a newer state is being made.',
}
