import { foldId } from '../../core/ids.ts'
import type { Snapshot } from '../../core/store.ts'
import type { Answer, Warning } from '../graph-core.ts'
import { isFolder, trimFolder } from '../scope.ts'
import type { Call } from './answer-when-ready.ts'
import { allFolders, scopeWarnings } from './scope-warnings.ts'
import { quoted } from './truncate.ts'

interface InFolder<T> {
  readonly snapshot: Snapshot
  readonly call: Call
  readonly folder: string | undefined
  isEmpty(value: T): boolean
}

/**
 * Answers a call that is restricted to a folder. If there is no such folder, but exactly one whose path ends like the given one,
 * answers for that folder and adds a `NOTICE`. With several vaults, only the given path counts, because the folder may be in
 * another vault.
 */
export async function inMatchingFolder<T>(
  { snapshot, call, folder, isEmpty }: InFolder<T>,
  answerIn: (folder: string | undefined) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const answer = await answerIn(folder)
  if (folder === undefined || call.isPart === true || !isEmpty(answer.value)) return answer
  const match = await matchingFolder(snapshot, folder)
  if (match === undefined) return answer
  const { warnings, ...found } = await answerIn(match)
  return { ...found, warnings: [otherFolderNotice(folder, match), ...warnings] }
}

export interface MatchedFolders {
  /** Full paths of folders that a query names by the end of their path. */
  readonly paths: ReadonlyMap<string, string>
  readonly warnings: readonly Warning[]
}

/** Looks up the folders in a query before the query runs. A condition on an unknown folder could otherwise match all notes. */
export async function matchFolders(
  snapshot: Snapshot,
  folders: readonly string[],
  { isPart = false }: Pick<Call, 'isPart'>,
): Promise<MatchedFolders> {
  const results = await Promise.all(
    folders.map(async (folder) => {
      const unknown = await scopeWarnings(snapshot, { folder })
      return { folder, unknown, match: isPart || unknown.length === 0 ? undefined : await matchingFolder(snapshot, folder) }
    }),
  )
  return {
    paths: new Map(results.flatMap(({ folder, match }) => (match === undefined ? [] : [[folder, match] as const]))),
    warnings: results.flatMap(({ folder, match, unknown }) =>
      match === undefined ? unknown : [otherFolderNotice(folder, match)],
    ),
  }
}

/**
 * Returns the only folder whose path ends with the given path. Returns `undefined` if there is none, or if the given folder
 * itself exists.
 */
async function matchingFolder(snapshot: Snapshot, folder: string): Promise<string | undefined> {
  const name = foldId(trimFolder(folder))
  if (name === '' || (await isFolder(snapshot, name))) return undefined
  const [match, ...others] = (await allFolders(snapshot)).filter((path) => foldId(path).endsWith(`/${name}`))
  return others.length === 0 ? match : undefined
}

function otherFolderNotice(folder: string, match: string): Warning {
  return { code: 'NOTICE', message: `The folder ${quoted(trimFolder(folder))} is ${quoted(match)}.` }
}
