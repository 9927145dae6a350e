import type { PathOptions } from '../../core/store.ts'
import { startsWith } from '../../graph/paths.ts'
import type { Values } from './server/connection.ts'

type Ask = <T>(cypher: string, parameters: Values) => Promise<readonly T[]>

type Path = readonly string[]

interface SpurPath {
  readonly root: Path
  /** The notes that must not be the next step. */
  readonly taken: readonly string[]
}

/** The maximum number of searches for longer paths. Each search takes a round trip. */
const FURTHER = 4

/**
 * Finds paths by Yen's algorithm (J. Y. Yen, 1971). One query finds all shortest paths, and one query all deviations from a path.
 * Paths are ordered by length, then by ids.
 */
export async function findPaths(
  run: Ask,
  ends: { readonly source: string; readonly target: string },
  options: PathOptions,
): Promise<readonly Path[]> {
  const { direction, count, avoidHubs } = options
  if (count <= 0) return []
  const { source, target } = ends
  if (source === target) return (await exists(run, source)) ? [[source]] : []
  const arrow = direction === 'out' ? '->' : '-'
  const start: SpurPath = { root: [source], taken: [] }
  const first = await shortest(run, { target, ceilings: avoidHubs ? 'hubs' : [NO_CEILING] }, { arrow, spurs: [start], count })
  const [best] = first
  if (best === undefined) return []
  const { ceiling } = best
  const found = first.filter((candidate) => candidate.ceiling === ceiling).map(({ path }) => path)
  const candidates: Path[] = []
  let examined = 0
  for (let round = 0; found.length < count && round < FURTHER; round++) {
    const spurs: SpurPath[] = []
    for (; examined < found.length; examined++) {
      const last = found[examined] as Path
      for (let at = 0; at < last.length - 1; at++) {
        const root = last.slice(0, at + 1)
        const usedNext = found.filter((path) => startsWith(path, root)).map((path) => path[at + 1] as string)
        spurs.push({ root, taken: [...new Set(usedNext)] })
      }
    }
    const missing = count - found.length
    for (const { path } of await shortest(run, { target, ceilings: [ceiling] }, { arrow, spurs, count: missing })) {
      if (![...found, ...candidates].some((other) => other.length === path.length && startsWith(other, path)))
        candidates.push(path)
    }
    candidates.sort((a, b) => a.length - b.length || compare(a, b))
    const next = candidates.shift()
    if (next === undefined) break
    found.push(next)
  }
  return found
}

const NO_CEILING = Number.MAX_SAFE_INTEGER

/** Degree limits for avoiding hubs: the 99th percentile, the 99.9th, then none, so an existing path is always found. */
const HUB_CEILINGS = `CALL () {
  MATCH (f:RouxListed {vault: $vault}) WHERE f.folded STARTS WITH '' AND NOT f.id IN [$spurs[0].from, $target]
  WITH f.inDegree + f.outDegree AS degree ORDER BY degree WITH collect(degree) AS degrees, count(*) AS notes
  UNWIND CASE WHEN notes < 100 THEN [degrees[toInteger(notes * 0.9)] - 1] ELSE [] END +
    [degrees[toInteger(notes * 0.99)], degrees[toInteger(notes * 0.999)], ${NO_CEILING}] AS ceiling
  WITH DISTINCT ceiling WHERE ceiling >= 2 RETURN ceiling }`

interface Search {
  readonly target: string
  readonly ceilings: 'hubs' | readonly number[]
}

interface FoundPath {
  readonly path: Path
  readonly ceiling: number
}

/** Returns the shortest paths that continue the root of each spur, below the lowest possible degree limit. Ids decide ties. */
async function shortest(
  run: Ask,
  { target, ceilings }: Search,
  { arrow, spurs, count }: { readonly arrow: string; readonly spurs: readonly SpurPath[]; readonly count: number },
): Promise<readonly FoundPath[]> {
  const rows = await run<{ readonly at: number; readonly ids: Path; readonly ceiling: number }>(
    `${ceilings === 'hubs' ? HUB_CEILINGS : 'UNWIND $ceilings AS ceiling'} UNWIND $spurs AS spur
     MATCH (a:RouxFile {vault: $vault, id: spur.from}) MATCH (b:RouxFile {vault: $vault, id: $target})
     CALL (ceiling, spur, a, b) {
       // The database tests the condition at every step and visits each link once.
       MATCH p = allShortestPaths((a)-[:ROUX_LINK*]${arrow}(b))
       WHERE all(n IN nodes(p) WHERE n = a OR n = b
                 OR (n:RouxListed AND NOT n.id IN spur.banned AND n.inDegree + n.outDegree <= ceiling))
         AND none(r IN relationships(p) WHERE (startNode(r) = a AND endNode(r).id IN spur.taken)
                                           OR (endNode(r) = a AND startNode(r).id IN spur.taken))
       WITH DISTINCT [n IN nodes(p) | n.id] AS ids, [n IN nodes(p) | n.sort] AS order
       RETURN ids, order ORDER BY order LIMIT toInteger($count)
     }
     WITH ceiling, spur, ids, order ORDER BY ceiling, order RETURN {at: spur.at, ids: ids, ceiling: ceiling} AS row`,
    {
      target,
      count,
      ceilings: ceilings === 'hubs' ? [] : ceilings,
      spurs: spurs.map(({ root, taken }, at) => ({ at, from: root.at(-1), banned: root.slice(0, -1), taken })),
    },
  )
  return rows.map(({ at, ids, ceiling }) => ({ path: [...(spurs[at]?.root.slice(0, -1) ?? []), ...ids], ceiling }))
}

async function exists(run: Ask, id: string): Promise<boolean> {
  const rows = await run('MATCH (f:RouxFile {vault: $vault, id: $id}) RETURN {id: f.id} AS row', { id })
  return rows.length > 0
}

function compare(a: Path, b: Path): number {
  const at = a.findIndex((id, place) => id !== b[place])
  return at < 0 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1
}
