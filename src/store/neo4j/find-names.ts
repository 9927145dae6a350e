import type { FileRecord } from '../../core/index-writer.ts'
import type { NameHit, NameMatch, NameOptions, Scope } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { plainName } from '../../search/plain-name.ts'
import { SimilarNames } from '../../search/similar-names.ts'
import { equalKey, namesOf, pairsOf, plainKey, shortHash } from './note-properties.ts'
import type { Asking } from './questions.ts'
import { filesIn } from './scope.ts'

/** Files that may have a similar name: those that share most pairs of characters. */
const CANDIDATES = 1_000

interface Candidate extends Pick<FileRecord, 'key' | 'path' | 'title' | 'aliases'> {
  readonly id: string
  readonly kind: FileRecord['kind']
}

/** Files by what they are called. The database finds those that may be meant; how near their names are is measured as everywhere. */
export async function findNames(
  asking: Asking,
  names: readonly string[],
  { match, scope, options }: { readonly match: NameMatch; readonly scope: Scope; readonly options: NameOptions },
): Promise<readonly (readonly NameHit[])[]> {
  const { questions, idOf, vault, bare } = asking
  if (names.length === 0 || (match === 'similar' && options.limit <= 0)) return names.map(() => [])
  const { text, parameters } = filesIn(scope, bare)
  const owner = shortHash(vault)
  const queries = names.map((name) => `+owner:${owner}^0 +(${wordsOf(name, match)})`)
  const rows = await questions.ask<{ readonly files: readonly Candidate[] }>(
    `UNWIND range(0, size($queries) - 1) AS at
     CALL (at) { CALL db.index.fulltext.queryNodes('roux_names', $queries[at]) YIELD node AS f, score
                 WITH f, score WHERE f:RouxFile AND ${text}
                 WITH f, score ORDER BY score DESC LIMIT toInteger($most)
                 RETURN collect(f {.key, .id, .path, .kind, .title, .aliases}) AS files }
     WITH at, files ORDER BY at RETURN {files: files} AS row`,
    { ...parameters, queries, most: match === 'similar' ? CANDIDATES : Number.MAX_SAFE_INTEGER },
  )
  return names.map((name, at) => {
    const files = new Map((rows[at]?.files ?? []).map((file) => [file.key, file]))
    const index = new SimilarNames()
    for (const file of files.values()) index.set(file.key, namesOf(file))
    const wanted = { accept: () => true, id: (key: number) => files.get(key)?.id ?? '' }
    const found =
      match === 'similar'
        ? index.find(name, wanted, options)
        : match === 'equal'
          ? index.equal(name, wanted)
          : index.equalPlain(name, wanted)
    return found.flatMap(({ key, name: own, score }): readonly NameHit[] => {
      const file = files.get(key)
      if (file === undefined) return []
      const of = file.title === own ? 'title' : file.aliases.includes(own) ? 'alias' : 'file'
      return [{ id: idOf(file.id), title: file.title, name: own, score, of }]
    })
  })
}

function wordsOf(name: string, match: NameMatch): string {
  if (match === 'equal') return `nameKeys:${equalKey(name)}`
  if (match === 'plain')
    return plainName(name) === '' ? 'nameKeys:none' : `nameKeys:${plainKey(name)} nameKeys:${equalKey(plainName(name))}`
  const pairs = [...new Set(pairsOf(foldName(name)))]
  return pairs.length === 0 ? 'nameKeys:none' : pairs.map((pair) => `namePairs:${pair}`).join(' ')
}
