import { isCentral, type Metric, type RankedNode, type Snapshot } from '../../core/store.ts'
import {
  answerInSteps,
  type Call,
  listResult,
  type PageArguments,
  pageFor,
  patienceOf,
  plain,
} from '../answer/answer-when-ready.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { toScope } from '../scope.ts'

export interface HubsArguments extends PageArguments {
  readonly metric: Metric
  readonly folder?: string | undefined
  readonly tag?: string | undefined
}

export function getHubs(core: GraphCore, args: HubsArguments, call: Call = {}): Promise<Answer<readonly RankedNode[]>> {
  const { metric } = args
  const rankIn = async (snapshot: Snapshot, inFolder: HubsArguments): Promise<Answer<readonly RankedNode[] | undefined>> => {
    const { offset, limit } = pageFor(args, call)
    const scope = toScope(inFolder)
    const [ranking, { total }] = await Promise.all([
      snapshot.hubs(metric, scope, offset + limit),
      snapshot.select(scope, { offset: 0, limit: 0 }),
    ])
    if (ranking === undefined) return plain(undefined)
    const { items, generation, sampled } = ranking
    const warnings: Warning[] = items.length === 0 ? [...(await scopeWarnings(snapshot, inFolder))] : []
    if (generation !== snapshot.generation) {
      const message = `The ${args.metric} scores are from an older state of the vault; new ones are being computed.`
      warnings.push({ code: 'STALE', message })
    }
    if (sampled !== undefined) {
      const message = `The vault is large: ${args.metric} was estimated from ${sampled} notes instead of all.`
      warnings.push({ code: 'FALLBACK', message })
    }
    // Scores are rounded, because further digits would only cost tokens.
    const value = items.slice(offset).map(({ id, title, score }) => ({ id, title, score: Number(score.toPrecision(6)) }))
    return { ...listResult(value, { offset, shown: value.length, total }), warnings }
  }
  const isEmpty = (value: readonly RankedNode[] | undefined): boolean => value?.length === 0
  return answerInSteps(core, call, async (read, step) => {
    // The second attempt is for an index that has just been replaced.
    for (let attempt = 0; attempt < 2; attempt++) {
      if (isCentral(metric)) await core.rankings.follow(metric, { wait: patienceOf(step), signal: step.signal })
      const { value, ...ranking } = await read((snapshot) =>
        inMatchingFolder({ snapshot, call, folder: args.folder, isEmpty }, (folder) => rankIn(snapshot, { ...args, folder })),
      )
      if (value !== undefined) return { ...ranking, value }
    }
    const message = `The ${metric} scores are being computed. Ask again in a moment.`
    return { value: [], warnings: [{ code: 'STALE', message }] }
  })
}
