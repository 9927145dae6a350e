import type { Metric, RankedNode } from '../core/store.ts'
import { answer, type Call } from './answer.ts'
import type { Answer, GraphCore, Warning } from './graph-core.ts'
import { toScope } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'

export interface HubsArguments {
  readonly metric: Metric
  readonly limit: number
  readonly folder?: string | undefined
  readonly tag?: string | undefined
}

/** The most central notes, by score, then id. */
export function getHubs(core: GraphCore, args: HubsArguments, call: Call = {}): Promise<Answer<readonly RankedNode[]>> {
  return answer(core, call, async () => {
    const { items, stale, sampled } = await core.store.hubs(args.metric, toScope(args), args.limit)
    const warnings: Warning[] = items.length === 0 ? [...(await scopeWarnings(core, args))] : []
    if (stale) {
      const message = `The ${args.metric} scores are of an older state of the vault; newer ones are being computed.`
      warnings.push({ code: 'STALE', message })
    }
    if (sampled !== undefined) {
      const message = `The vault is large: ${args.metric} was estimated from ${sampled} notes instead of all.`
      warnings.push({ code: 'FALLBACK', message })
    }
    return { value: items.map(({ id, title, score }) => ({ id, title, score: round(score) })), warnings }
  })
}

/** Ranks are told apart by fewer digits than a double has, and every digit is read by a model. */
function round(score: number): number {
  return Number(score.toPrecision(6))
}
