import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import type { ChangesAnswer } from './changes-since.ts'

const SEPARATOR = 1

/** A list of the answer, as it fills. */
interface Draft {
  readonly name: string
  readonly rows: readonly object[]
  shown: number
}

/**
 * Fits changes into a budget. `totals` and the cursor are always there; the lists then fill in turn, so a long one does
 * not push out the others.
 */
export function fitChanges(answer: ChangesAnswer, room: number): Fitted<ChangesAnswer> {
  const drafts = draftsOf(answer)
  const empty = withLists(answer, () => [])
  const purse = new Purse(room - jsonBytes(empty))
  let open = drafts
  while (open.length > 0) {
    open = open.filter((draft) => {
      const row = draft.rows[draft.shown]
      const bytes = row === undefined ? Number.POSITIVE_INFINITY : jsonBytes(row) + SEPARATOR
      if (bytes > purse.left()) return false
      purse.spend(bytes)
      draft.shown++
      return true
    })
  }
  const shown = new Map(drafts.map((draft) => [draft.rows, draft.shown]))
  const omitted = drafts.flatMap(({ name, rows, shown: count }) =>
    count < rows.length ? [[name, rows.length - count] as const] : [],
  )
  return {
    value: withLists(answer, (rows) => rows.slice(0, shown.get(rows))),
    omitted: Object.fromEntries(omitted),
  }
}

function draftsOf({ notes, links, broken, fixed, orphans, rising }: ChangesAnswer): readonly Draft[] {
  const { added, changed, removed, moved } = notes
  const { gained, lost } = links
  const lists = { added, changed, removed, moved, gained, lost, broken, fixed, orphans, rising }
  return Object.entries(lists).map(([name, rows]) => ({ name, rows, shown: 0 }))
}

function withLists(answer: ChangesAnswer, of: <T extends object>(rows: readonly T[]) => readonly T[]): ChangesAnswer {
  const { notes, links, broken, fixed, orphans, rising } = answer
  return {
    ...answer,
    notes: { added: of(notes.added), changed: of(notes.changed), removed: of(notes.removed), moved: of(notes.moved) },
    links: { gained: of(links.gained), lost: of(links.lost) },
    broken: of(broken),
    fixed: of(fixed),
    orphans: of(orphans),
    rising: of(rising),
  }
}
