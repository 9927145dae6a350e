import type { ChangedFile, ChangeState, ChangeSummary } from '../../core/changes.ts'
import { foldId } from '../../core/ids.ts'
import type { WrittenFile } from '../../core/operations.ts'
import { type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { openWriting } from './write.ts'

export interface ListChangesArguments extends PageArguments {
  /** Only changes that touched this file or folder. */
  readonly id?: string | undefined
}

export interface ChangeFacts {
  readonly change_id: string
  /** ISO 8601, UTC. */
  readonly time: string
  readonly title: string
  readonly state: ChangeState
  /** The change that this one took back. */
  readonly undoes?: string
  readonly files: readonly ListedFile[]
  /** How many files are left out; absent when none is. */
  readonly omitted_files?: number
}

/** A file of a change, in the words of the answer that the tool gave which made it. */
export interface ListedFile {
  readonly kind: WrittenFile['kind'] | 'folder_created' | 'folder_deleted'
  readonly path: string
  /** Where it was moved to, in the trash, too. */
  readonly to?: string
}

/** Files of a change that a list names. */
const MAX_FILES = 20
/** How far back changes are counted. */
const COUNTED = 10_000

/** What was written, the newest first. */
export async function listChanges(
  core: GraphCore,
  { id, ...asked }: ListChangesArguments,
  call: Call = {},
): Promise<Answer<readonly ChangeFacts[]>> {
  const writing = await openWriting(core, call)
  const changes = await writing.changes(COUNTED)
  const wanted = id === undefined ? changes : changes.filter((change) => touches(change, id))
  const { offset, limit } = pageFor(asked, call)
  const shown = wanted.slice(offset, offset + limit)
  return listed(
    shown.map((change) => changeFacts(change, call)),
    { offset, shown: shown.length, total: wanted.length },
  )
}

function touches({ files }: ChangeSummary, id: string): boolean {
  const folded = foldId(id.replace(/\/+$/, ''))
  const names = [folded, `${folded}.md`]
  return files.some(({ path, to }) =>
    [path, to].some((one) => {
      if (one === undefined) return false
      const other = foldId(one)
      // A folder's change is one of what lies in it, and the other way round.
      return names.some((name) => other === name || name.startsWith(`${other}/`) || other.startsWith(`${name}/`))
    }),
  )
}

function changeFacts({ id, time, title, state, undoes, files }: ChangeSummary, { whole = false }: Call): ChangeFacts {
  const shown = whole ? files : files.slice(0, MAX_FILES)
  return {
    change_id: id,
    time: new Date(time).toISOString(),
    title,
    state,
    ...(undoes === undefined ? {} : { undoes }),
    files: shown.map(listedFile),
    ...(shown.length === files.length ? {} : { omitted_files: files.length - shown.length }),
  }
}

const LISTED: Readonly<Record<ChangedFile['kind'], ListedFile['kind']>> = {
  create: 'created',
  replace: 'changed',
  move: 'moved',
  remove: 'deleted',
  makeFolder: 'folder_created',
  removeFolder: 'folder_deleted',
}

function listedFile({ kind, path, to }: ChangedFile): ListedFile {
  if (to === undefined) return { kind: LISTED[kind], path }
  // What is deleted lies in the trash.
  return { kind: to.startsWith('.trash/') ? 'deleted' : LISTED[kind], path, to }
}
