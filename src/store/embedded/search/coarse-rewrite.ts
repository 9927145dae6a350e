import type { DatabaseFile } from '../database-file.ts'
import type { Database } from '../sqlite.ts'
import { packCoarse } from './coarse-part.ts'
import { nextNumber } from './compaction.ts'
import { type StoredVectors, unpackVectors } from './search-rows.ts'

/** Notes whose vectors go into one part: some milliseconds of work. */
const PART_NOTES = 256
/** Parts beyond those that all notes need, before they are put together: each is read at a start. */
const MOST_SMALL = 128

interface Running {
  readonly embedder: number
  readonly dimensions: number
  /** The first revision of the new parts. */
  since?: number
  /** Notes up to this key are in new parts. */
  after: number
}

/**
 * Rewrites the coarse vectors of all notes into few parts, one part at a time. Parts never change; later facts about a
 * note are in a later part. Readers see the old parts until all notes are in new ones; leftovers of a dead process go
 * with the next rewrite.
 */
export class CoarseRewrite {
  readonly #file: DatabaseFile
  #running: Running | undefined

  constructor(file: DatabaseFile) {
    this.#file = file
  }

  /** @returns whether there is more to do. @throws DamagedIndex */
  step(): boolean {
    const database = this.#file.open()
    if (database === undefined) return false
    this.#running ??= choose(database)
    const running = this.#running
    if (running === undefined) return false
    const { embedder, dimensions } = running
    this.#file.write((open) => {
      const select = open.prepare('SELECT key, data FROM vector WHERE embedder = ? AND key > ? ORDER BY key LIMIT ?')
      const rows = select.all(embedder, running.after, PART_NOTES) as { key: number; data: unknown }[]
      const last = rows.at(-1)
      if (last === undefined) {
        open.prepare('DELETE FROM coarse WHERE embedder = ? AND revision < ?').run(embedder, running.since ?? 0)
        this.#running = undefined
        return
      }
      const notes = rows.map(({ key, data }) => ({ key, stored: unpackVectors(embedder, key, data) }))
      const revision = nextNumber(open, 'revision')
      putCoarse(open, { embedder, dimensions, revision }, notes)
      running.since ??= revision
      running.after = last.key
    })
    return true
  }
}

/** Stores what is compared of some notes; readers load it once it is committed. */
export function putCoarse(
  database: Database,
  { dimensions, ...place }: { readonly embedder: number; readonly dimensions: number; readonly revision: number },
  notes: readonly { readonly key: number; readonly stored: StoredVectors }[],
): void {
  const data = packCoarse(place, notes, dimensions)
  database.prepare('INSERT INTO coarse VALUES (?, ?, ?, ?)').run(place.embedder, place.revision, notes.length, data)
}

/** An embedder of whose parts half is of notes that changed since, or which has too many of them. */
function choose(database: Database): Running | undefined {
  const rows = database
    .prepare(
      `SELECT embedder, dimensions, count(*) AS parts, sum(notes) AS notes,
         (SELECT count(*) FROM vector WHERE vector.embedder = coarse.embedder) AS live
       FROM coarse JOIN embedder ON embedder.id = coarse.embedder GROUP BY embedder`,
    )
    .all() as { embedder: number; dimensions: number; parts: number; notes: number; live: number }[]
  const worn = rows.find(
    ({ parts, notes, live }) => notes > 2 * live + PART_NOTES || parts > 2 * Math.ceil(live / PART_NOTES) + MOST_SMALL,
  )
  return worn && { embedder: worn.embedder, dimensions: worn.dimensions, after: -1 }
}
