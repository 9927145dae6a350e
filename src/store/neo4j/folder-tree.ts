import { folderStart } from '../../core/paths.ts'
import type { Folder, NodeSummary, TreeOptions } from '../../core/store.ts'
import { spelledPath } from '../../graph/folder-index.ts'
import type { QuestionContext } from './questions.ts'

interface Entry {
  readonly folded: string
  readonly folders: Map<string, Entry>
  readonly spellings: Map<string, number>
  own: number
  /** Number of notes at any depth. */
  count: number
}

/** Returns the tree, or `undefined` if the folder does not exist. */
export async function folderTree(asking: QuestionContext, path: string, options: TreeOptions): Promise<Folder | undefined> {
  const { questions, idOf, cached } = asking
  const rows = await cached(`tree ${options.includeArchived} ${path}`, () => countsOf(asking, path, options))
  const root: Entry = newEntry(path)
  for (const { folded, spelled, notes, all } of rows) {
    let entry = root
    entry.count += notes
    const below = path === '' ? folded : folded.slice(path.length + 1)
    for (const name of below === '' ? [] : below.split('/')) {
      const next = entry.folders.get(name) ?? newEntry(entry.folded === '' ? name : `${entry.folded}/${name}`)
      entry.folders.set(name, next)
      entry = next
      entry.count += notes
    }
    entry.own += notes
    entry.spellings.set(spelled, (entry.spellings.get(spelled) ?? 0) + all)
  }
  if ((rows.length === 0 || root.count === 0) && path !== '') return undefined
  const limits = sharesOf(root, options)
  const requests = [...limits].flatMap(([{ folded }, limit]) => (limit > 0 ? [{ folded, limit }] : []))
  const notes =
    requests.length === 0
      ? []
      : await questions.ask<{ readonly folded: string; readonly notes: readonly NodeSummary[] }>(
          `UNWIND $wanted AS want
     CALL (want) { MATCH (f:RouxListed {vault: $vault})
                   WHERE f.folder = want.folded AND ($archived OR NOT f.archived)
                   WITH f ORDER BY f.sort LIMIT toInteger($most) RETURN collect(f {.id, .title}) AS notes }
     RETURN {folded: want.folded, notes: notes} AS row`,
          { wanted: requests, archived: options.includeArchived, most: Math.max(...requests.map(({ limit }) => limit)) },
        )
  const byFolder = new Map(notes.map((row) => [row.folded, row.notes]))
  const build = (entry: Entry, depth: number): Folder => {
    const shownNotes = (byFolder.get(entry.folded) ?? []).slice(0, limits.get(entry) ?? 0)
    const filled = filledOf(entry)
    const folders = depth > 1 ? filled.map((below) => build(below, depth - 1)) : []
    return {
      path: spelledPath(entry),
      noteCount: entry.count,
      folders,
      notes: shownNotes.map(({ id, title }) => ({ id: idOf(id), title })),
      omittedNotes: entry.own - shownNotes.length,
      omittedFolders: filled.length - folders.length,
    }
  }
  return build(root, options.depth + 1)
}

interface FolderCounts {
  readonly spelled: string
  readonly folded: string
  readonly notes: number
  readonly all: number
}

/** Counts the notes of folders. Each spelling of a folder is counted separately. */
async function countsOf({ questions }: QuestionContext, path: string, options: TreeOptions): Promise<readonly FolderCounts[]> {
  return await questions.ask<FolderCounts>(
    `MATCH (f:RouxListed {vault: $vault}) WHERE f.folded STARTS WITH $start
     WITH f.folder AS folded, f.folderPath AS spelled, f.archived AS archived
     WITH folded, spelled, count(*) AS all, sum(CASE WHEN archived THEN 0 ELSE 1 END) AS unarchived
     RETURN {folded: folded, spelled: spelled, all: all, notes: CASE WHEN $archived THEN all ELSE unarchived END} AS row`,
    { start: folderStart(path), archived: options.includeArchived },
  )
}

/** Number of notes to list per folder. A folder's own notes come before those of its subfolders. */
function sharesOf(root: Entry, { depth, limit }: TreeOptions): ReadonlyMap<Entry, number> {
  const limits = new Map<Entry, number>()
  let remaining = limit
  const share = (entry: Entry, levels: number): void => {
    const ownCount = Math.max(0, Math.min(remaining, entry.own))
    remaining -= ownCount
    limits.set(entry, ownCount)
    if (levels > 1) for (const below of filledOf(entry)) share(below, levels - 1)
  }
  share(root, depth + 1)
  return limits
}

function filledOf({ folders }: Entry): readonly Entry[] {
  return [...folders]
    .filter(([, { count }]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry)
}

function newEntry(folded: string): Entry {
  return { folded, folders: new Map(), spellings: new Map(), own: 0, count: 0 }
}
