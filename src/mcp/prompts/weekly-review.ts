import { ProtocolError } from '@modelcontextprotocol/server'
import { type ChangesAnswer, changesSince } from '../../app/insight/changes-since.ts'
import { fitChanges } from '../../app/insight/fit-changes.ts'
import { recentNotes } from '../../app/read/recent-notes.ts'
import { INVALID_PARAMS } from '../protocol-errors.ts'
import { type Prompt, paragraphs, quoteFacts } from './define-prompt.ts'

/** How many notes are quoted. */
const QUOTED = 50
const MOST_DAYS = 365
/** Maximum bytes quoted from the graph. */
const FACT_BYTES = 8_000

export const weeklyReviewPrompt: Prompt = {
  definition: {
    name: 'weekly_review',
    title: 'Weekly review',
    description: 'What I worked on in the last days, what came of it and what is open.',
    arguments: [{ name: 'days', description: `How many days back, 1–${MOST_DAYS}; 7 if absent.` }],
  },
  source: { name: 'changes_since', group: 'tools.insight' },
  noteArguments: [],
  async text({ core, args, call }) {
    const days = readDays(args.days)
    const { value: notes } = await recentNotes(core, { limit: QUOTED, query: `modified:day-${days}` }, call)
    const { value: changes, warnings } = await changesSince(core, { since: `${days}d`, limit: QUOTED }, call)
    return paragraphs(
      `Review what I did in my vault in the last ${days === 1 ? 'day' : `${days} days`}.`,
      notes.length === 0 ? 'No note was changed in that time.' : quoteFacts('Notes that were changed, newest first', notes),
      Object.keys(changes.totals).length === 0 ? '' : quoteFacts('What changed in the graph', graphFacts(changes)),
      // A gap in the log must not look like no changes.
      ...warnings.flatMap(({ code, message }) => (code === 'NOTICE' ? [message] : [])),
      'Read those that matter with get_node. Tell what I worked on, grouped by theme; what was decided or learned, with quotations; what is left open, such as unfinished tasks and questions, broken links and notes without any link; and what deserves a link or a note of its own. Cite notes by id.',
    )
  },
}

/** What is not said by the list of notes that were changed. */
function graphFacts(changes: ChangesAnswer) {
  const { value } = fitChanges(changes, FACT_BYTES)
  const { added, removed, moved } = value.notes
  const { links, broken, fixed, orphans, rising, totals } = value
  const lists = { added, removed, moved, gained: links.gained, lost: links.lost, broken, fixed, orphans, rising }
  return { totals, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) }
}

/** @throws ProtocolError −32602 */
function readDays(written: string | undefined): number {
  if (written === undefined) return 7
  const days = /^\d{1,3}$/.test(written.trim()) ? Number(written) : 0
  if (days >= 1 && days <= MOST_DAYS) return days
  throw new ProtocolError(
    INVALID_PARAMS,
    `days: expected a whole number from 1 to ${MOST_DAYS}, got ${JSON.stringify(written.slice(0, 50))}.`,
  )
}
