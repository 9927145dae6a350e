import type { InsightKind, InsightKinds, Insights } from '../../core/insight/insight.ts'
import { answerInSteps, type Call, type Read, timeLeft, waiting } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'

/** How long a command waits, which no client gives up on, ms. */
const COMMAND_WAITS = 600_000

/**
 * Answers from what the vault says as a whole: the first time that is waited for within the call's budget; later the last result answers, with
 * `STALE` while a newer one is made. `empty` where there is none in time.
 */
export function answerFromInsight<T>(core: GraphCore, call: Call, use: InsightUse<T, 'whole'>): Promise<Answer<T>> {
  return answerFrom(core, core.insights, { ...use, call })
}

/** Answers from the links that may be missing, in the same way. */
export function answerFromLinks<T>(core: GraphCore, call: Call, use: InsightUse<T, 'links'>): Promise<Answer<T>> {
  return answerFrom(core, core.linkInsights, { ...use, call })
}

interface InsightUse<T, Kind extends InsightKind> {
  readonly empty: T
  use(insight: InsightKinds[Kind], read: Read): Promise<Answer<T>>
}

function answerFrom<T, Kind extends InsightKind>(
  core: GraphCore,
  insights: Insights<Kind>,
  { call, empty, use }: InsightUse<T, Kind> & { readonly call: Call },
): Promise<Answer<T>> {
  const began = waiting(call)
  return answerInSteps(core, began, async (read) => {
    const { insight, warnings } = await latest(insights, began)
    if (insight === undefined) return { value: empty, warnings }
    const answered = await use(insight, read)
    return { ...answered, warnings: [...warnings, ...answered.warnings] }
  })
}

/** The latest insight within the call's time, with warnings. */
export function insightFor(core: GraphCore, call: Call): Promise<Latest<'whole'>> {
  return latest(core.insights, call)
}

interface Latest<Kind extends InsightKind> {
  readonly insight: InsightKinds[Kind] | undefined
  readonly warnings: readonly Warning[]
}

async function latest<Kind extends InsightKind>(insights: Insights<Kind>, call: Call): Promise<Latest<Kind>> {
  const wait = call.whole ? COMMAND_WAITS : timeLeft(call)
  const followed = await insights.follow({ wait, signal: call.signal })
  if (followed === undefined) return { insight: undefined, warnings: [beingMade(insights.progress?.())] }
  return { insight: followed.insight, warnings: followed.isCurrent ? [] : [OLDER] }
}

/** Asking again continues the same run. */
function beingMade(progress: ReturnType<NonNullable<Insights['progress']>>): Warning {
  const { done = 0, total = 0 } = progress ?? {}
  const read = done < total ? ` (${done} of ${total} notes are read)` : total > 0 ? ' (all notes are read, and compared now)' : ''
  return {
    code: 'STALE',
    message: `The vault is being looked at as a whole for the first time${read}: nothing is known yet. This goes on: ask again in a few seconds.`,
  }
}

const OLDER: Warning = {
  code: 'STALE',
  message: 'The vault changed since it was looked at as a whole: this is of then, and a newer state is being made.',
}
