import type { ChangedFile, ChangeState, ChangeSummary } from '../../core/changes.ts'
import { foldId, withoutVault } from '../../core/ids.ts'
import type { WrittenFile } from '../../core/operations.ts'
import { isWithin } from '../../core/paths.ts'
import type { Snapshot } from '../../core/store.ts'
import { trimEndOf } from '../../core/text/trim-characters.ts'
import { type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { filesByPath, findNamed } from '../names/known-node.ts'
import { isFolder } from '../scope.ts'
import { openWriting } from './operation-runner.ts'

export interface ListChangesArguments extends PageArguments {
  readonly id?: string | undefined
}

export interface ChangeFacts {
  readonly change_id: string
  readonly time: string
  readonly title: string
  readonly state: ChangeState
  readonly undoes?: string
  readonly files: readonly ListedFile[]
  readonly omitted_files?: number
}

export interface ListedFile {
  readonly kind: WrittenFile['kind'] | 'folder_created' | 'folder_deleted'
  readonly path: string
  /** The new path of a moved file, which may be in the trash. */
  readonly to?: string
}

const MAX_FILES = 20
const MAX_COUNT = 10_000

export async function listChanges(
  core: GraphCore,
  { id, ...asked }: ListChangesArguments,
  call: Call = {},
): Promise<Answer<readonly ChangeFacts[]>> {
  const writing = await openWriting(core, call)
  const changes = await writing.changes(MAX_COUNT)
  const matching = id === undefined ? changes : changes.filter(await touchTest(core, { id, changes }, call))
  const { offset, limit } = pageFor(asked, call)
  const shownChanges = matching.slice(offset, offset + limit)
  return listResult(
    shownChanges.map((change) => changeFacts(change, call)),
    { offset, shown: shownChanges.length, total: matching.length },
  )
}

/** Returns a test for changes to a node, which may be a deleted note, file or folder. @throws RouxError `AMBIGUOUS_NAME` */
async function touchTest(
  core: GraphCore,
  { id, changes }: { readonly id: string; readonly changes: readonly ChangeSummary[] },
  call: Call,
): Promise<(change: ChangeSummary) => boolean> {
  const foldedId = foldId(withoutVault(trimEndOf(id, '/'), core.name))
  const { own, others } = await core.store.read(async (snapshot) => {
    if (await isFolder(snapshot, foldedId)) return { own: undefined, others: new Set<string>() }
    const [nodeId] = (await findNamed(snapshot, core, [id])).ids
    const [file] = nodeId === undefined ? [] : await snapshot.versions([nodeId])
    return { own: file?.path, others: await otherSpellings(snapshot, core, { path: file?.path, changes }) }
  }, call.signal)
  const names = [foldedId, `${foldedId}.md`, ...(own === undefined ? [] : [foldId(own)])]
  const matches = (path: string): boolean => {
    const folded = foldId(path)
    // A change to a folder affects its contents, and a change to its contents affects the folder.
    return names.some((name) => isWithin(name, folded) || isWithin(folded, name))
  }
  return ({ files }) =>
    files.some(({ path, to }) =>
      [path, to].some((changedPath) => changedPath !== undefined && !others.has(changedPath) && matches(changedPath)),
    )
}

async function otherSpellings(
  snapshot: Snapshot,
  core: GraphCore,
  { path, changes }: { readonly path: string | undefined; readonly changes: readonly ChangeSummary[] },
): Promise<ReadonlySet<string>> {
  if (path === undefined) return new Set()
  const changedPaths = changes.flatMap(({ files }) =>
    files.flatMap((file) => [file.path, file.to].filter((changedPath) => changedPath !== undefined)),
  )
  const samePaths = [...new Set(changedPaths)].filter((each) => each !== path && foldId(each) === foldId(path))
  const { at } = await filesByPath(snapshot, core, samePaths)
  return new Set(samePaths.filter((samePath) => at(samePath) !== undefined))
}

function changeFacts({ id, time, title, state, undoes, files }: ChangeSummary, { isUntruncated = false }: Call): ChangeFacts {
  const shownFiles = isUntruncated ? files : files.slice(0, MAX_FILES)
  return {
    change_id: id,
    time: new Date(time).toISOString(),
    title,
    state,
    ...(undoes === undefined ? {} : { undoes }),
    files: shownFiles.map(listedFile),
    ...(shownFiles.length === files.length ? {} : { omitted_files: files.length - shownFiles.length }),
  }
}

const FILE_OUTCOMES: Readonly<Record<ChangedFile['kind'], ListedFile['kind']>> = {
  create: 'created',
  replace: 'changed',
  move: 'moved',
  remove: 'deleted',
  makeFolder: 'folder_created',
  removeFolder: 'folder_deleted',
}

function listedFile({ kind, path, to }: ChangedFile): ListedFile {
  if (to === undefined) return { kind: FILE_OUTCOMES[kind], path }
  // A move to the trash is shown as a deletion.
  return { kind: to.startsWith('.trash/') ? 'deleted' : FILE_OUTCOMES[kind], path, to }
}
