import type { Followed, Insight, InsightKind, Insights, LinkInsight } from '../../core/insight.ts'
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
    return withWarnings(insight === undefined ? { value: empty, warnings: [] } : await use(insight, read), warnings)
  })
}

/** Answers from the links that may be missing, in the same way. */
export function answerFromLinks<T>(
  core: GraphCore,
  call: Call,
  { empty, use }: { readonly empty: T; use(insight: LinkInsight, read: Read): Promise<Answer<T>> },
): Promise<Answer<T>> {
  const began = waiting(call)
  return answerInSteps(core, began, async (read) => {
    const { insight, warnings } = await latest(core.linkInsights, began)
    return withWarnings(insight === undefined ? { value: empty, warnings: [] } : await use(insight, read), warnings)
  })
}

function withWarnings<T>(answered: Answer<T>, warnings: readonly Warning[]): Answer<T> {
  return { ...answered, warnings: [...warnings, ...answered.warnings] }
}

/** The last insight within the time that the call has, and what is to be said of it. */
export function insightFor(core: GraphCore, call: Call): Promise<Latest<'whole'>> {
  return latest(core.insights, call)
}

interface Latest<Kind extends InsightKind> {
  readonly insight: Followed<Kind>['insight'] | undefined
  readonly warnings: readonly Warning[]
}

async function latest<Kind extends InsightKind>(insights: Insights<Kind>, call: Call): Promise<Latest<Kind>> {
  const wait = call.whole ? COMMAND_WAITS : timeLeft(call)
  const followed = await insights.follow({ wait, signal: call.signal })
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
