import { invalid, type RouxError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { foldId } from '../../core/ids.ts'
import { folderOf, inFolder, isWithin, nameOf, withParents } from '../../core/paths.ts'
import { quote } from '../path-rules.ts'
import type { MovedFolder } from './changed-files.ts'
import type { Draft, DraftTable } from './draft.ts'
import { isTrash } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'

export class PlannedPaths {
  readonly movedFolders: MovedFolder[] = []
  /** The folders that the caller asked for. */
  readonly createdFolders: string[] = []
  /** The new folders by folded path, including parents of new files. */
  readonly #newFolders = new Map<string, string>()
  /** Names in each folder, by folded name. */
  readonly #listings = new Map<string, ReadonlyMap<string, readonly string[]>>()
  readonly #view: VaultView
  readonly #drafts: DraftTable

  constructor(view: VaultView, drafts: DraftTable) {
    this.#view = view
    this.#drafts = drafts
  }

  /** Returns future paths with the same id, in alphabetical order. */
  twins(path: string): readonly string[] {
    const folded = foldId(path)
    const untouched = this.#view.keysLike(folded).filter((key) => !this.#drafts.has(key))
    const paths = untouched.map((key) => this.#view.pathOf(key)).filter((each) => each !== undefined)
    return [...paths, ...this.#drafts.like(folded).map((draft) => draft.path)].sort()
  }

  /**
   * Returns true if a file has this path, even if it is not indexed or differs in case. A file that moves away counts, too,
   * because changes are not ordered. The file `but` does not count.
   */
  isTaken(path: string, but?: Draft): boolean {
    const folded = foldId(path)
    if (this.#drafts.like(folded).some((draft) => draft !== but)) return true
    if (this.#view.keysLike(folded).some((key) => !this.#drafts.has(key) && this.#exists(key))) return true
    if (this.#newFolders.has(folded)) return true
    const names = this.#namesIn(folderOf(path)).get(foldId(nameOf(path))) ?? []
    return names.some((name) => {
      const draft = this.#drafts.from(inFolder(folderOf(path), name))
      return but === undefined || (draft !== but && !(this.#isVacated(draft) && this.#isText(but)))
    })
  }

  /** A path becomes free if its file moves away, because two notes can exchange paths by exchanging their contents. */
  #isVacated(draft: Draft | undefined): boolean {
    return draft !== undefined && draft.original !== draft.path && !isTrash(draft.path) && this.#isText(draft)
  }

  #isText({ original }: Draft): boolean {
    return original !== undefined && !isTrash(original) && this.#view.kindOf(original) !== 'attachment'
  }

  willBeFolder(path: string): boolean {
    return this.#newFolders.has(foldId(path))
  }

  #exists(key: number): boolean {
    const path = this.#view.pathOf(key)
    return path !== undefined && this.#view.look(path) !== undefined
  }

  /** Returns the path with existing folders spelled as on disk. */
  withSpelling(path: string): string {
    let spelled = ''
    for (const name of path.split('/')) {
      const path = inFolder(spelled, name)
      const names = this.#namesIn(spelled).get(foldId(name)) ?? []
      const newFolder = this.#newFolders.get(foldId(path))
      spelled = names.includes(name) ? path : inFolder(spelled, names[0] ?? (newFolder === undefined ? name : nameOf(newFolder)))
    }
    return spelled
  }

  addParents(path: string): void {
    for (const folder of withParents(folderOf(path))) {
      if (this.#view.look(folder) === 'folder') return
      this.#newFolders.set(foldId(folder), folder)
    }
  }

  makeFolder(path: string): void {
    this.addParents(`${path}/`)
    this.createdFolders.push(path)
  }

  moveFolder(folder: MovedFolder): void {
    this.movedFolders.push(folder)
    this.addParents(`${folder.to}/`)
  }

  /** Checks paths against moved folders. @throws RouxError if a path is inside a folder that the same request moves */
  requireNotMoved(...paths: readonly string[]): void {
    for (const { from, to } of this.movedFolders) {
      const path = paths.find((each) => isWithin(each, from) || isWithin(each, to))
      if (path !== undefined) throw movedFolderError(path, from)
    }
  }

  /** Checks the contents of a moved folder. @throws RouxError if the same request adds or removes files in the folder */
  requireUnchangedInside({ from, to }: MovedFolder): void {
    this.requireNotMoved(from, to)
    const isPart = (path: string) => isWithin(path, from) || isWithin(path, to)
    for (const { original, path } of this.#drafts.all()) {
      if (original !== path && (isPart(path) || (original !== undefined && isPart(original)))) throw movedFolderError(path, from)
    }
    const newFolder = this.createdFolders.find(isPart)
    if (newFolder !== undefined) throw movedFolderError(newFolder, from)
  }

  #namesIn(folder: string): ReadonlyMap<string, readonly string[]> {
    const listing = this.#listings.get(folder)
    if (listing !== undefined) return listing
    const names = groupBy(this.#view.list(folder), foldId)
    this.#listings.set(folder, names)
    return names
  }
}

function movedFolderError(path: string, folder: string): RouxError {
  return invalid(`${quote(path)} is in ${quote(folder)}, which is moved in the same request.`, 'Make two separate requests.')
}
