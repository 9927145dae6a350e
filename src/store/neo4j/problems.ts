import { foldId, type NodeId, type VaultPath } from '../../core/ids.ts'
import type { FileInfo } from '../../core/index-writer.ts'
import { folderStart } from '../../core/paths.ts'
import {
  type Page,
  type Paged,
  PROBLEM_KINDS,
  type Problem,
  type ProblemCounts,
  type ProblemFilter,
  type ProblemKind,
  type WantedFilter,
  type WantedNote,
} from '../../core/store.ts'
import type { OutsideLink } from '../../core/vault.ts'
import { writtenAt } from '../note-facts.ts'
import { readLinks } from './note-properties.ts'
import { type QuestionContext, rangeOf } from './questions.ts'

/** The number of sources per missing target. */
const SOURCES = 3

interface ProblemQuery {
  readonly filter: ProblemFilter
  readonly outside: string | null
}

interface ProblemRow extends Record<ProblemKind, number> {
  readonly key: number
  readonly id: string
}

interface DetailRow {
  readonly key: number
  readonly info: string | null
  readonly twins: readonly string[]
  readonly links: readonly { readonly links: string; readonly to: string | null }[]
}

const COUNTS = `broken_link: f.broken, broken_heading: f.brokenHeadings, ambiguous_link: f.ambiguous, malformed: f.malformed,
  orphan: CASE WHEN f.kind = 'note' AND f.inDegree = 0 AND f.outDegree = 0 THEN 1 ELSE 0 END,
  twin: CASE WHEN f.kind = 'note' AND size(f.twins) > 0 THEN 1 ELSE 0 END, conflict_copy: CASE WHEN f.conflict THEN 1 ELSE 0 END,
  outside_link: 0`

const TROUBLED = `NOT f.excluded AND (f.troubles > 0
  OR (f:RouxListed AND ((f.inDegree = 0 AND f.outDegree = 0) OR size(f.twins) > 0)))`

function filesOf({ filter: { id, target, folder } }: ProblemQuery, { bare }: QuestionContext) {
  // `left` replaces `STARTS WITH`, because two indexed conditions could make the planner use the wrong index.
  const condition = id === undefined ? 'f.folded STARTS WITH $start' : 'f.id = $id AND left(f.folded, size($start)) = $start'
  const linking =
    target === undefined ? '' : ' AND EXISTS { MATCH (f)-[:ROUX_LINK]->(t) WHERE t.id = $target AND t.kind IS NOT NULL }'
  return {
    match: `MATCH (f:RouxFile {vault: $vault}) WHERE ${condition} AND ${TROUBLED}${linking}`,
    parameters: {
      start: folderStart(folder ?? ''),
      id: id === undefined ? '' : bare(id),
      target: target === undefined ? '' : bare(target),
    },
  }
}

export async function findProblems(asking: QuestionContext, query: ProblemQuery, page: Page): Promise<Paged<Problem>> {
  const { filter } = query
  const kinds: readonly ProblemKind[] = filter.kind === undefined ? PROBLEM_KINDS : [filter.kind]
  const { match, parameters } = filesOf(query, asking)
  const files = await asking.questions.ask<ProblemRow>(
    `${match} WITH f ORDER BY f.sort RETURN {key: f.key, id: f.id, ${COUNTS}} AS row`,
    parameters,
  )
  const outside = kinds.includes('outside_link') ? outsideProblems(asking, query) : []
  if (filter.target !== undefined) {
    const details = await detailsOf(asking, files)
    const all = files.flatMap((file) => problemsOf(asking, { file, details, kinds, target: filter.target }))
    return { items: all.slice(page.offset, page.offset + page.limit), total: all.length }
  }
  const rows: { readonly id: string; readonly count: number; readonly file?: ProblemRow; readonly outside?: Problem }[] = [
    ...files.map((file) => ({ id: asking.idOf(file.id), count: kinds.reduce((sum, kind) => sum + file[kind], 0), file })),
    ...outside.map((problem) => ({ id: problem.id, count: 1, outside: problem })),
  ]
  rows.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))
  const end = page.offset + page.limit
  let total = 0
  let first: number | undefined
  const shownRows: typeof rows = []
  for (const row of rows) {
    if (row.count > 0 && total + row.count > page.offset && total < end) {
      first ??= total
      shownRows.push(row)
    }
    total += row.count
  }
  const details = await detailsOf(
    asking,
    shownRows.flatMap(({ file }) => file ?? []),
  )
  const items = shownRows.flatMap((row) => {
    if (row.outside !== undefined) return [row.outside]
    return row.file === undefined ? [] : problemsOf(asking, { file: row.file, details, kinds, target: undefined })
  })
  const skipped = page.offset - (first ?? page.offset)
  return { items: items.slice(skipped, skipped + page.limit), total }
}

export async function countProblems(asking: QuestionContext, query: ProblemQuery): Promise<ProblemCounts> {
  const counts = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, 0])) as Record<ProblemKind, number>
  const { match, parameters } = filesOf(query, asking)
  if (query.filter.target !== undefined) {
    const { items } = await findProblems(asking, query, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
    for (const { kind } of items) counts[kind]++
    return counts
  }
  const sums = PROBLEM_KINDS.map((kind) => `${kind}: coalesce(sum(row.${kind}), 0)`).join(', ')
  const row = await asking.questions.one<ProblemCounts>(`${match} WITH {${COUNTS}} AS row RETURN {${sums}} AS row`, parameters)
  for (const kind of PROBLEM_KINDS) counts[kind] = row?.[kind] ?? 0
  counts.outside_link = outsideProblems(asking, query).length
  return counts
}

function outsideProblems(
  { idOf }: QuestionContext,
  { filter: { id, target, folder }, outside }: ProblemQuery,
): readonly Problem[] {
  if (id !== undefined || target !== undefined || outside === null) return []
  const start = folderStart(folder ?? '')
  return (JSON.parse(outside) as readonly OutsideLink[])
    .filter(({ path }) => foldId(path).startsWith(start))
    .map(({ path, target: to }): Problem => ({ kind: 'outside_link', id: idOf(foldId(path)), line: 0, target: to }))
}

async function detailsOf({ questions }: QuestionContext, files: readonly ProblemRow[]): Promise<ReadonlyMap<number, DetailRow>> {
  if (files.length === 0) return new Map()
  const rows = await questions.ask<DetailRow>(
    `UNWIND $keys AS key MATCH (f:RouxFile&RouxNode {vault: $vault, key: key})
     RETURN {key: key, info: CASE WHEN f.malformed > 0 THEN f.info END,
             twins: [twin IN f.twins | COLLECT { MATCH (t:RouxFile&RouxNode {vault: $vault, key: twin}) RETURN t.id }[0]],
             links: COLLECT { MATCH (f)-[l:ROUX_LINK]->(t)
                              WHERE f.broken + f.brokenHeadings + f.ambiguous > 0 AND t.kind IS NOT NULL
                              RETURN {links: l.links, to: t.id} }} AS row`,
    { keys: files.map(({ key }) => key) },
  )
  const rivalKeys = [
    ...new Set(
      rows.flatMap(({ links }) => links.flatMap((edge) => readLinks(edge.links).flatMap(([, { rivals: keys = [] }]) => keys))),
    ),
  ]
  if (rivalKeys.length > 0) {
    const ids = await questions.ask<{ readonly key: number; readonly id: string }>(
      'UNWIND $keys AS key MATCH (f:RouxFile&RouxNode {vault: $vault, key: key}) RETURN {key: key, id: f.id} AS row',
      { keys: rivalKeys },
    )
    const idOfKey = new Map(ids.map(({ key, id }) => [key, id]))
    for (const row of rows) rivalIds.set(row, idOfKey)
  }
  return new Map(rows.map((row) => [row.key, row]))
}

/** The ids of the notes that ambiguous links may refer to, by key. */
const rivalIds = new WeakMap<DetailRow, ReadonlyMap<number, string>>()

interface ProblemSource {
  readonly file: ProblemRow
  readonly details: ReadonlyMap<number, DetailRow>
  readonly kinds: readonly ProblemKind[]
  readonly target: NodeId | undefined
}

function problemsOf(asking: QuestionContext, { file, details, kinds, target }: ProblemSource): readonly Problem[] {
  const detail = details.get(file.key)
  if (detail === undefined) return []
  const id = asking.idOf(file.id)
  const links = detail.links
    .filter(({ to }) => target === undefined || to === asking.bare(target))
    .flatMap(({ links: edge, to }) => readLinks(edge).map(([at, link]) => ({ at, link, to: asking.idOf(to ?? '') })))
    .sort((a, b) => a.at - b.at)
  const of = (kind: ProblemKind): readonly Problem[] => {
    switch (kind) {
      case 'broken_link':
        return links.flatMap(({ link }) => (typeof link.to === 'string' ? [{ kind, id, ...writtenAt(link), name: link.to }] : []))
      case 'broken_heading':
        return links.flatMap(({ link, to }) => (link.brokenSubpath === true ? [{ kind, id, ...writtenAt(link), to }] : []))
      case 'ambiguous_link':
        return links.flatMap(({ link, to }) => {
          if (link.rivals === undefined) return []
          const rivals = link.rivals.flatMap((key) => rivalIds.get(detail)?.get(key) ?? []).map(asking.idOf)
          return [{ kind, id, ...writtenAt(link), to, byAlias: link.byAlias === true, rivals }]
        })
      case 'malformed': {
        const { malformed = [] } = detail.info === null ? {} : (JSON.parse(detail.info) as FileInfo)
        return target === undefined ? malformed.map(({ line, message }) => ({ kind, id, line, message })) : []
      }
      case 'twin': {
        const twins = detail.twins.filter((twin) => twin !== null).map(asking.idOf)
        return target === undefined && file.twin > 0 ? [{ kind, id, line: 0, twins }] : []
      }
      case 'orphan':
      case 'conflict_copy':
        return target === undefined && file[kind] > 0 ? [{ kind, id, line: 0 }] : []
      case 'outside_link':
        return []
    }
  }
  return kinds.flatMap(of).sort((a, b) => a.line - b.line)
}

interface Row {
  readonly name: string
  readonly ids: readonly [string, ...string[]]
  readonly files: number
  readonly sources: readonly string[]
}

/** Returns missing notes, ordered by the number of linking files, then by name. */
export async function findWanted(
  asking: QuestionContext,
  { folder, counts }: WantedFilter,
  page: Page,
): Promise<Paged<WantedNote>> {
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

/** Returns the files whose links must not be counted. The database cannot evaluate `counts`. */
async function sourcesWithout(
  { questions }: QuestionContext,
  counts: (path: VaultPath) => boolean,
): Promise<readonly VaultPath[]> {
  const paths = await questions.ask<VaultPath>(
    `MATCH (m:RouxMissing {vault: $vault})<-[:ROUX_LINK]-(s:RouxFile) WHERE m.idKey STARTS WITH '' RETURN DISTINCT s.path AS row`,
    {},
  )
  return paths.filter((path) => !counts(path))
}
