import { resolve } from 'node:path'
import { errorCode } from '../core/errors.ts'
import { isWithin } from '../core/paths.ts'
import { quietly } from '../core/quietly.ts'
import { asPosix, type FileSystem, isAbsence, realPathOf, type Stats } from './file-system.ts'

export type FollowedLink =
  | { readonly kind: 'ignored' }
  /** The link leads outside the vault. `target` is the link's text. */
  | { readonly kind: 'outside'; readonly target: string }
  | { readonly kind: 'folder'; readonly target: string }
  | { readonly kind: 'file'; readonly target: string; readonly stat: Stats }

/**
 * A policy for symbolic links. The targets of followed links never overlap with the vault or each other, which prevents loops.
 */
export interface OutsideLinks {
  /** Decides about a link. `path` is vault-relative. */
  follow(path: string, absolute: string): FollowedLink
  /** Resets all decisions, before the whole vault is listed again. */
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

function contains(folder: string, path: string, fs: FileSystem): boolean {
  if (folder === '') return false
  const above = asPosix(folder, fs).replace(/\/$/, '')
  const below = asPosix(path, fs)
  return isWithin(below, above)
}
