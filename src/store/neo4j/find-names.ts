import type { FileRecord } from '../../core/index-writer.ts'
import type { NameHit, NameMatch, NameOptions, Scope } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { plainName, SimilarNames } from '../../search/similar-names.ts'
import { isWhole } from '../note-facts.ts'
import { equalKey, namesOf, pairsOf, plainKey, shortHash } from './note-properties.ts'
import type { QuestionContext } from './questions.ts'
import { filesIn } from './scope.ts'

/** The maximum number of candidates for a similar name: the files that share the most character pairs. */
const MAX_CANDIDATES = 1_000
/** The limit is higher, because some candidates are outside the scope. */
const MAX_EXAMINED = 3 * MAX_CANDIDATES

interface Candidate extends Pick<FileRecord, 'key' | 'path' | 'title' | 'aliases' | 'kind'> {
  readonly id: string
}

/** Finds names. The database selects candidates, and similarities are computed as in the embedded store. */
export async function findNames(
  asking: QuestionContext,
  names: readonly string[],
  { match, scope, options }: { readonly match: NameMatch; readonly scope: Scope; readonly options: NameOptions },
): Promise<readonly (readonly NameHit[])[]> {
  const { idOf, vault } = asking
  if (names.length === 0 || (match === 'similar' && options.limit <= 0)) return names.map(() => [])
  const owner = shortHash(vault)
  const queries = names.map((name) => `+owner:${owner}^0 +(${wordsOf(name, match)})`)
  const candidatesByName = await candidates(asking, queries, {
    scope,
    isSimilar: match === 'similar',
    isCut: match === 'similar' && isWhole(scope),
  })
  return names.map((name, at) => {
    const files = new Map((candidatesByName[at] ?? []).map((file) => [file.key, file]))
    const index = new SimilarNames()
    for (const file of files.values()) index.set(file.key, namesOf(file))
    const filter = { accept: () => true, id: (key: number) => files.get(key)?.id ?? '' }
    const hits =
      match === 'similar'
        ? index.find(name, filter, options)
        : match === 'equal'
          ? index.equal(name, filter)
          : index.equalPlain(name, filter)
    return hits.flatMap(({ key, name: foundName, score }): readonly NameHit[] => {
      const file = files.get(key)
      if (file === undefined) return []
      asking.names.set(idOf(file.id), [file.title, ...file.aliases])
      const of = file.title === foundName ? 'title' : file.aliases.includes(foundName) ? 'alias' : 'file'
      return [{ id: idOf(file.id), title: file.title, name: foundName, score, of }]
    })
  })
}

/** If too many of the best candidates are outside the scope, checks all files. */
async function candidates(
  asking: QuestionContext,
  queries: readonly string[],
  { scope, isSimilar, isCut }: { readonly scope: Scope; readonly isSimilar: boolean; readonly isCut: boolean },
): Promise<readonly (readonly Candidate[])[]> {
  const { text, parameters } = filesIn(scope, asking.bare)
  const rows = await asking.questions.ask<{ readonly given: number; readonly files: readonly Candidate[] }>(
    `UNWIND range(0, size($queries) - 1) AS at
     CALL (at) { CALL db.index.fulltext.queryNodes('roux_names', $queries[at]${isCut ? `, {limit: ${MAX_EXAMINED}}` : ''}) YIELD node AS f
                 WITH count(*) AS given, collect(CASE WHEN f:RouxFile AND ${text} THEN f END) AS fitting
                 RETURN given, [f IN fitting${isSimilar ? `[0..${MAX_CANDIDATES}]` : ''} | f {.key, .id, .path, .kind, .title, .aliases}] AS files }
     WITH at, given, files ORDER BY at RETURN {given: given, files: files} AS row`,
    { ...parameters, queries },
  )
  const found = rows.map(({ files }) => files)
  const truncated = !isCut
    ? []
    : rows.flatMap(({ given, files }, at) => (given === MAX_EXAMINED && files.length < MAX_CANDIDATES ? [at] : []))
  if (truncated.length === 0) return found
  const more = await candidates(
    asking,
    truncated.map((at) => queries[at] ?? ''),
    { scope, isSimilar, isCut: false },
  )
  return found.map((files, at) => more[truncated.indexOf(at)] ?? files)
}

function wordsOf(name: string, match: NameMatch): string {
  if (match === 'equal') return `nameKeys:${equalKey(name)}`
  if (match === 'plain')
    return plainName(name) === '' ? 'nameKeys:none' : `nameKeys:${plainKey(name)} nameKeys:${equalKey(plainName(name))}`
  const pairs = [...new Set(pairsOf(foldName(name)))]
  return pairs.length === 0 ? 'nameKeys:none' : pairs.map((pair) => `namePairs:${pair}`).join(' ')
}
