import { errorCode } from '../core/errors.ts'
import { toVaultPath } from '../core/ids.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { quietly } from '../core/quietly.ts'
import type { ByteRange, FileStat, ListedFile, Listing, OutsideLink, Vault } from '../core/vault.ts'
import { openExclusionFilters } from './exclusion-filters.ts'
import type { FileSystem, Stats } from './file-system.ts'
import {
  asPosix,
  diskFileSystem,
  errorReason,
  isAbsence,
  isOpenedAt,
  isRealPath,
  isSameFile,
  OPEN_FOLLOWING,
  OPEN_PLAIN,
  readOpen,
} from './file-system.ts'
import { type FolderRules, type IgnoreOptions, isHiddenName, openIgnoreRules } from './ignore-rules.ts'
import { openOutsideLinks } from './outside-links.ts'
import { markerOf, requireVaultRoot, rootError } from './vault-root.ts'

export interface VaultOptions extends IgnoreOptions {
  /** The folders outside the vault that symbolic links may point to. */
  readonly linkRoots: readonly string[]
}

interface Pending {
  readonly path: string
  readonly absolute: string
  rules(hasGitignore: boolean): FolderRules
}

interface FoundLink {
  readonly path: string
  readonly absolute: string
  readonly name: string
  readonly rules: FolderRules
}

interface PartialListing {
  readonly files: { readonly path: ListedFile['path']; readonly stat: FileStat; excluded: boolean }[]
  readonly outside: OutsideLink[]
  readonly unreadable: { path: ListedFile['path']; message: string }[]
  links: FoundLink[]
}

/** The path on disk, or `undefined` if the folder is outside the vault or spelled differently. */
type Place = string | undefined | 'unreadable'

/** Maximum number of attempts to open a file that is being replaced. */
const ATTEMPTS = 3

/**
 * Opens a folder as a vault. Hidden names, `node_modules`, ignored files, dangling links and links into the vault are left out.
 */
export function openVault(root: string, options: VaultOptions, fs: FileSystem = diskFileSystem): Vault {
  return new FolderVault(requireVaultRoot(root, fs), options, fs)
}

class FolderVault implements Vault {
  readonly root: string
  readonly #base: string
  readonly #fs: FileSystem
  readonly #gitignore: boolean
  readonly #rules
  readonly #filters
  readonly #links
  /** A cache of folders without symbolic links in their path, for bursts of reads. */
  readonly #folders = new Map<string, Stats>()

  constructor(root: string, options: VaultOptions, fs: FileSystem) {
    this.root = root
    this.#base = asPosix(root, fs).replace(/\/$/, '')
    this.#fs = fs
    this.#gitignore = options.gitignore
    this.#rules = openIgnoreRules(this.#base, options, fs)
    this.#filters = openExclusionFilters(this.#base, fs)
    this.#links = openOutsideLinks(root, options.linkRoots, fs)
  }

  get marker() {
    return markerOf(this.#base, this.#fs)
  }

  list(folder?: { readonly path: string; readonly recursive: boolean }): Listing {
    this.#folders.clear()
    const listing: PartialListing = { files: [], outside: [], unreadable: [], links: [] }
    const recursive = folder?.recursive ?? true
    const path = folder?.path ?? ''
    if (path === '' && recursive) this.#links.reset()
    const start = this.#start(path, listing)
    if (start) this.#walk(start, listing, recursive)
    this.#followLinks(listing, recursive)
    const excluded = this.#filters.excludes(listing.files.map((file) => file.path))
    excluded.forEach((hit, i) => {
      const file = listing.files[i]
      if (file) file.excluded = hit
    })
    return { files: listing.files, outside: listing.outside, unreadable: listing.unreadable }
  }

  stat(path: ListedFile['path']): ListedFile | undefined {
    if (!this.#isPath(path) || this.#rules.hides(path, false)) return undefined
    const stat = this.#statOf(path)
    return stat && { path, stat: fileStat(stat), excluded: this.#filters.excludes([path])[0] ?? false }
  }

  outsideLink(path: OutsideLink['path']): OutsideLink | undefined {
    if (!this.#isPath(path) || this.#rules.hides(path, false)) return undefined
    const absolute = this.#absolute(path)
    if (absolute === undefined || !this.#isLink(absolute)) return undefined
    const link = this.#links.follow(path, absolute)
    return link.kind === 'outside' ? { path, target: link.target } : undefined
  }

  #isLink(absolute: string): boolean {
    return quietly(() => this.#fs.lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() === true) ?? false
  }

  read(path: ListedFile['path'], range?: ByteRange): Uint8Array | undefined | 'unreadable' {
    if (!this.#isPath(path) || /(?:^|\/)\./.test(path)) return undefined
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const place = this.#place(folderOf(path))
      if (place === undefined || place === 'unreadable') return place
      const file = `${place}/${nameOf(path)}`
      try {
        const bytes = this.#readPlain(file, range)
        if (bytes !== 'other') return bytes
      } catch (error) {
        if (isAbsence(error)) return undefined
        return isLinkRefusal(error) ? this.#readLinked({ path, file }, range) : 'unreadable'
      }
    }
    return undefined
  }

  /**
   * @returns `'other'` if the path now refers to another file
   * @throws Node's errors, including `ELOOP` or `EMLINK` for a symbolic link
   */
  #readPlain(file: string, range: ByteRange | undefined): Uint8Array | undefined | 'other' {
    if (OPEN_PLAIN === undefined && this.#isLink(file)) throw Object.assign(new Error(), { code: 'ELOOP' })
    const fd = this.#fs.openSync(file, OPEN_PLAIN ?? OPEN_FOLLOWING)
    if (quietly(() => isOpenedAt(this.#fs, fd, file))) return readOpen(this.#fs, fd, range)
    this.#fs.closeSync(fd)
    return 'other'
  }

  #readLinked(
    { path, file }: { readonly path: string; readonly file: string },
    range: ByteRange | undefined,
  ): Uint8Array | undefined | 'unreadable' {
    const link = this.#links.follow(path, file)
    if (link.kind !== 'file') return undefined
    try {
      const bytes = this.#readPlain(asPosix(link.target, this.#fs), range)
      return bytes === 'other' ? undefined : bytes
    } catch (error) {
      return isAbsence(error) ? undefined : 'unreadable'
    }
  }

  #absolute(path: string): string | undefined {
    const place = this.#place(folderOf(path))
    return place === undefined || place === 'unreadable' ? undefined : `${place}/${nameOf(path)}`
  }

  #statOf(path: string): Stats | undefined {
    const file = this.#absolute(path)
    if (file === undefined) return undefined
    return quietly(() => {
      const stat = this.#fs.lstatSync(file, { throwIfNoEntry: false })
      if (stat?.isFile()) return !this.#fs.rules.folds || isRealPath(this.#fs, file) ? stat : undefined
      const link = stat?.isSymbolicLink() ? this.#links.follow(path, file) : undefined
      return link?.kind === 'file' ? link.stat : undefined
    })
  }

  #start(path: string, listing: PartialListing): Pending | undefined {
    if (path === '') return { path, absolute: this.#base, rules: (has) => this.#rules.atRoot(has) }
    this.#requireRoot()
    if (!this.#isPath(path) || this.#rules.hides(path, true)) return undefined
    const place = this.#place(path)
    if (place === 'unreadable') listing.unreadable.push({ path: toVaultPath(path), message: 'a parent folder cannot be read' })
    if (place === undefined || place === 'unreadable') return undefined
    const names = path.split('/')
    const last = names.pop() ?? ''
    const above = () => names.reduce((rules, name) => rules.enter(name), this.#rules.atRoot())
    return { path, absolute: place, rules: (has) => above().enter(last, has) }
  }

  #requireRoot(): void {
    const stat = this.#fs.statSync(asFolder(this.#base), { throwIfNoEntry: false })
    if (!stat?.isDirectory()) throw rootError(this.root, Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
  }

  #walk(start: Pending, listing: PartialListing, recursive: boolean): void {
    const pending = [start]
    for (let folder = pending.pop(); folder; folder = pending.pop()) {
      const below = this.#listFolder(folder, listing)
      if (recursive) pending.push(...below)
    }
  }

  #listFolder(folder: Pending, listing: PartialListing): readonly Pending[] {
    const names = this.#names(folder, listing)
    const rules = folder.rules(this.#gitignore && names.includes('.gitignore'))
    const prefix = folder.path === '' ? '' : `${folder.path}/`
    const below: Pending[] = []
    for (const name of names) {
      if (isHiddenName(name)) continue
      const path = prefix + name
      const absolute = `${folder.absolute}/${name}`
      // Every file needs a stat, so entry types are not read.
      const stats = this.#statEntry(path, { absolute, isHidden: () => rules.hides(name, false), listing })
      if (stats === 'closed') break
      if (stats === undefined || rules.hides(name, stats.isDirectory())) continue
      if (stats.isDirectory()) below.push({ path, absolute, rules: (has) => rules.enter(name, has) })
      else if (stats.isSymbolicLink()) listing.links.push({ path, absolute, name, rules })
      else if (stats.isFile()) listing.files.push({ path: toVaultPath(path), stat: fileStat(stats), excluded: false })
    }
    return below
  }

  #names(folder: Pending, listing: PartialListing): readonly string[] {
    try {
      return this.#fs.readNamesSync(asFolder(folder.absolute))
    } catch (error) {
      if (folder.path === '') throw rootError(this.root, error)
      const message = isAbsence(error) ? absenceOf(folder.path) : errorReason(error)
      if (message !== undefined) listing.unreadable.push({ path: toVaultPath(folder.path), message })
      return []
    }
  }

  /** @returns `undefined` for a missing entry, or `'closed'` if the folder is unreadable, which is reported once */
  #statEntry(
    path: string,
    { absolute, isHidden, listing }: { readonly absolute: string; isHidden(): boolean; readonly listing: PartialListing },
  ): Stats | undefined | 'closed' {
    try {
      const stat = this.#fs.lstatSync(absolute, { throwIfNoEntry: false })
      const message = stat ? undefined : absenceOf(path)
      if (message !== undefined && !isHidden()) listing.unreadable.push({ path: toVaultPath(path), message })
      return stat
    } catch (error) {
      if (isHidden()) return undefined
      const isDenied = errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'
      listing.unreadable.push({ path: toVaultPath(isDenied ? folderOf(path) : path), message: errorReason(error) })
      return isDenied ? 'closed' : undefined
    }
  }

  /** Adds the files behind allowed links, in alphabetical order. Only the first link to each target is followed. */
  #followLinks(listing: PartialListing, recursive: boolean): void {
    while (listing.links.length > 0) {
      const links = listing.links.sort((a, b) => (a.path < b.path ? -1 : 1))
      listing.links = []
      for (const link of links) this.#followLink(link, listing, recursive)
    }
  }

  #followLink({ path, absolute, name, rules }: FoundLink, listing: PartialListing, recursive: boolean): void {
    const link = this.#links.follow(path, absolute)
    if (link.kind === 'outside') listing.outside.push({ path: toVaultPath(path), target: link.target })
    if (link.kind === 'file') listing.files.push({ path: toVaultPath(path), stat: fileStat(link.stat), excluded: false })
    if (link.kind !== 'folder' || !recursive || rules.hides(name, true)) return
    this.#walk({ path, absolute: asPosix(link.target, this.#fs), rules: (has) => rules.enter(name, has) }, listing, true)
  }

  #place(folder: string): Place {
    if (folder === '') return this.#base
    const absolute = `${this.#base}/${folder}`
    try {
      const now = this.#fs.lstatSync(absolute, { throwIfNoEntry: false })
      // The path is checked again after a change of the inode, because it may lead through a new symbolic link.
      if (isSameFile(this.#folders.get(folder), now)) return absolute
      this.#folders.delete(folder)
      if (!isRealPath(this.#fs, absolute)) return this.#throughLinks(folder)
      if (now !== undefined) this.#folders.set(folder, now)
      return absolute
    } catch (error) {
      return isAbsence(error) || isLinkRefusal(error) ? undefined : 'unreadable'
    }
  }

  #throughLinks(folder: string): string | undefined {
    let absolute = this.#base
    let path = ''
    for (const name of folder.split('/')) {
      path = path === '' ? name : `${path}/${name}`
      absolute = `${absolute}/${name}`
      if (!this.#fs.lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink()) continue
      const link = this.#links.follow(path, absolute)
      if (link.kind !== 'folder') return undefined
      absolute = asPosix(link.target, this.#fs)
    }
    return isRealPath(this.#fs, absolute) ? absolute : undefined
  }

  #isPath(path: string): boolean {
    if (path.includes('\0') || /(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return false
    return !(this.#fs.rules.windows && /[\\:]/.test(path))
  }
}

function fileStat(stat: Stats): FileStat {
  return { mtime: stat.mtimeMs, ctime: stat.ctimeMs, birthtime: stat.birthtimeMs, size: stat.size }
}

/** Returns true for the errors of `O_NOFOLLOW`: `ELOOP` on Linux and macOS, and `EMLINK` on FreeBSD. */
function isLinkRefusal(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ELOOP' || code === 'EMLINK'
}

/** Returns why a file cannot be found, or `undefined` if it was probably just deleted. */
function absenceOf(path: string): string | undefined {
  return path.includes('\uFFFD') ? 'its name is not valid UTF-8' : undefined
}

/** Adds the slash that `/` and `C:/` need. `C:` is a different folder. */
function asFolder(absolute: string): string {
  return absolute === '' || /^[A-Za-z]:$/.test(absolute) ? `${absolute}/` : absolute
}
