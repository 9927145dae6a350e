import { foldId } from '../core/ids.ts'
import type { ProblemKind } from '../core/store.ts'
import { answer, type Call, listed, type PageArguments, pageFor } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { type ReportedProblem, reportProblems } from './problems.ts'
import { trimFolder } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'

export interface ProblemsArguments extends PageArguments {
  readonly kind?: ProblemKind | undefined
  readonly folder?: string | undefined
}

export interface ProblemList {
  readonly problems: readonly ReportedProblem[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
}

/** What is wrong in the vault, by id, then line. */
export function getProblems(core: GraphCore, args: ProblemsArguments, call: Call = {}): Promise<Answer<ProblemList>> {
  return answer(core, call, async (snapshot) => {
    const folder = foldId(trimFolder(args.folder ?? ''))
    const filter = {
      ...(args.kind === undefined ? {} : { kind: args.kind }),
      ...(folder === '' ? {} : { folder }),
    }
    const page = pageFor(args, call)
    const { items, total } = await snapshot.problems(filter, page)
    const problems = await reportProblems(snapshot, items)
    const warnings = total === 0 ? await scopeWarnings(snapshot, args) : []
    return { ...listed({ problems, total }, { offset: page.offset, shown: items.length, total }), warnings }
  })
}
