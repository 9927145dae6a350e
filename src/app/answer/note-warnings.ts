import type { NodeId } from '../../core/ids.ts'
import type { Snapshot } from '../../core/store.ts'
import type { Warning, WarningCode } from '../graph-core.ts'
import { type ReportedProblem, reportProblems } from '../links/problems.ts'

/** Problems of one note that its reader should know of, by the warning that tells them. */
const TOLD = { ambiguous_link: 'AMBIGUOUS_LINKS', malformed: 'MALFORMED' } as const

/** How many problems of a kind a warning spells out. */
const SPELLED_OUT = 3
/** How many notes that a link may mean are named. */
const NAMED = 5

/** Problems of this note that affect its answer: ambiguous links and malformed parts. */
export async function noteWarnings(snapshot: Snapshot, id: NodeId): Promise<readonly Warning[]> {
  const warnings = await Promise.all([warningOf(snapshot, id, 'ambiguous_link'), warningOf(snapshot, id, 'malformed')])
  return warnings.filter((warning) => warning !== undefined)
}

async function warningOf(snapshot: Snapshot, id: NodeId, kind: keyof typeof TOLD): Promise<Warning | undefined> {
  const { items, total } = await snapshot.problems({ kind, id }, { offset: 0, limit: SPELLED_OUT })
  if (items.length === 0) return undefined
  const more = total > items.length ? `; and ${total - items.length} more` : ''
  const code: WarningCode = TOLD[kind]
  const what = kind === 'malformed' ? 'Malformed, read as far as possible' : 'Links that fit several notes'
  return { code, message: `${what}: ${(await reportProblems(snapshot, items)).map(describe).join('; ')}${more}.` }
}

function describe({ line, text, candidates }: ReportedProblem): string {
  const more = (candidates?.length ?? 0) - NAMED
  const names = [...(candidates?.slice(0, NAMED) ?? []), ...(more > 0 ? [`and ${more} more`] : [])]
  const fits = names.length === 0 ? '' : ` (${names.join(', ')})`
  return `line ${line}: ${text.replace(/\.$/, '')}${fits}`
}
