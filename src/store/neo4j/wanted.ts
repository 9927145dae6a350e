import type { VaultPath } from '../../core/ids.ts'
import type { Page, Paged, WantedFilter, WantedNote } from '../../core/store.ts'
import { type Asking, rangeOf } from './questions.ts'
import { folderStart } from './scope.ts'

interface Row {
  readonly name: string
  readonly ids: readonly [string, ...string[]]
  readonly files: number
  readonly sources: readonly string[]
}

/** Sources returned with each. */
const SOURCES = 3

/** The targets without a note, by how many files want them, then by name. */
export async function findWanted(asking: Asking, { folder, counts }: WantedFilter, page: Page): Promise<Paged<WantedNote>> {
  const { questions, idOf } = asking
  const without = counts === undefined ? [] : await sourcesWithout(asking, counts)
  const row = await questions.one<{ readonly total: number; readonly items: readonly Row[] }>(
    `MATCH (m:RouxMissing {vault: $vault})<-[:ROUX_LINK]-(s:RouxFile)
     WHERE m.idKey STARTS WITH '' AND m.means IS NOT NULL AND NOT s.excluded AND s.folded STARTS WITH $start AND NOT s.path IN $without
     WITH m, collect(s) AS sources ORDER BY size(sources) DESC, m.sort
     WITH m.means AS means, collect(m) AS missing, collect(sources) AS groups
     WITH missing, CASE WHEN size(groups) = 1 THEN groups[0] ELSE COLLECT { UNWIND groups AS some UNWIND some AS one RETURN DISTINCT one } END AS sources
     WITH missing[0] AS most, missing, sources, size(sources) AS files
     ORDER BY files DESC, most.sortTitle
     WITH collect({most: most, missing: missing, sources: sources, files: files}) AS found
     RETURN {total: size(found), items: [w IN found[toInteger($offset)..toInteger($end)] |
       {name: w.most.title, files: w.files,
        ids: COLLECT { UNWIND w.missing AS m WITH m ORDER BY m.sort RETURN m.id },
        sources: COLLECT { UNWIND w.sources AS s WITH s ORDER BY s.inDegree DESC, s.sort LIMIT ${SOURCES} RETURN s.id }}]} AS row`,
    { start: folderStart(folder ?? ''), without, ...rangeOf(page) },
  )
  const items = (row?.items ?? []).map(
    ({ name, ids: [first, ...rest], files, sources }): WantedNote => ({
      name,
      ids: [idOf(first), ...rest.map(idOf)],
      files,
      sources: sources.map(idOf),
    }),
  )
  return { items, total: row?.total ?? 0 }
}

/** Files that link to missing targets but do not count; only this process knows them. */
async function sourcesWithout({ questions }: Asking, counts: (path: VaultPath) => boolean): Promise<readonly VaultPath[]> {
  const paths = await questions.ask<VaultPath>(
    `MATCH (m:RouxMissing {vault: $vault})<-[:ROUX_LINK]-(s:RouxFile) WHERE m.idKey STARTS WITH '' RETURN DISTINCT s.path AS row`,
    {},
  )
  return paths.filter((path) => !counts(path))
}
