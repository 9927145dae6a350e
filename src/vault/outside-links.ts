import { resolve } from 'node:path'
import { errorCode } from '../core/errors.ts'
import { isWithin } from '../core/paths.ts'
import { quietly } from '../core/quietly.ts'
import { asPosix, type FileSystem, isAbsence, realPathOf, type Stats } from './file-system.ts'

export type FollowedLink =
  /** The link is dangling or circular, or its target is already in the vault. */
  | { readonly kind: 'ignored' }
  /** The target is outside the vault and must not be read. `target` is the link's own text. */
  | { readonly kind: 'outside'; readonly target: string }
  | { readonly kind: 'folder'; readonly target: string }
  | { readonly kind: 'file'; readonly target: string; readonly stat: Stats }

/** Decides which symbolic links to follow. Followed targets never overlap with the vault or each other, so there are no loops. */
export interface OutsideLinks {
  /** Decides what to do with the symbolic link at an absolute path. `path` is the same location relative to the vault. */
  follow(path: string, absolute: string): FollowedLink
  /** Forgets the links followed so far. Call this before listing the whole vault again. */
  reset(): void
}

export function openOutsideLinks(root: string, linkRoots: readonly string[], fs: FileSystem): OutsideLinks {
  const followedFolders = new Map<string, string>()
  const isAllowed = (target: string) =>
    linkRoots.some((folder) => contains(realPathOf(resolve(root, folder), fs) ?? '', target, fs))

  const fateOfFolder = (path: string, target: string): FollowedLink => {
    const others = [...followedFolders].filter(([link]) => link !== path).map(([, folder]) => folder)
    if (others.some((other) => contains(other, target, fs) || contains(target, other, fs))) return { kind: 'ignored' }
    followedFolders.set(path, target)
    return { kind: 'folder', target }
  }

  const fateOf = (path: string, target: string): FollowedLink => {
    const stat = fs.statSync(target, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return fateOfFolder(path, target)
    const isListed = [...followedFolders.values()].some((folder) => contains(folder, target, fs))
    return stat?.isFile() && !isListed ? { kind: 'file', target, stat } : { kind: 'ignored' }
  }

  return {
    follow(path, absolute) {
      try {
        const target = fs.realpathSync.native(absolute)
        if (contains(root, target, fs) || contains(target, root, fs)) return { kind: 'ignored' }
        return isAllowed(target) ? fateOf(path, target) : { kind: 'outside', target: fs.readlinkSync(absolute) }
      } catch (error) {
        return isAbsence(error) || errorCode(error) === 'ELOOP'
          ? { kind: 'ignored' }
          : { kind: 'outside', target: quietly(() => fs.readlinkSync(absolute)) ?? '' }
      }
    },
    reset: () => followedFolders.clear(),
  }
}

/** Checks whether a real path is the given folder or inside it. */
function contains(folder: string, path: string, fs: FileSystem): boolean {
  if (folder === '') return false
  const above = asPosix(folder, fs).replace(/\/$/, '')
  const below = asPosix(path, fs)
  return isWithin(below, above)
}
